// What the kernel and the widget exchange, for the type checker.

import type { ShownQuestion } from "../../web/static/types.d.ts";

export interface WidgetState {
  title: string;
  question: ShownQuestion | null;
  answers: number;
  quota: null;
  diameter: number;
  start: number | null;
  can_undo: boolean;
  message: { title: string; html: string } | null; // in place of a question
  chart: string; // HTML that the kernel's templates escaped
  notice: string; // why the last request was refused; or empty
  reply: string | null; // the key of the request that this state is the reply to
}

export interface Model {
  get(name: "state"): WidgetState;
  set(name: "request", value: Record<string, unknown>): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

declare global {
  const PAGE: string;
  const TEXTS: Record<string, string | Record<string, string>>; // in English
  const STYLES: string;
}
