// What the API sends as JSON (the models of the server's routes), for the type checker.

export type Response = string | number | boolean;

/** Where questions are shown: the page, or a part of it with the same elements. */
export interface CardsPage {
  root: Document | ShadowRoot;
  mediaUrl(kind: "image" | "audio" | "video", name: string): string;
  promiseName?: string; // under which the browser remembers what the page has promised
}

export interface ShownOption {
  name: string;
  image: string | null;
  row: number | null;
  fields: Record<string, string>;
  body: string | null;
  body_html: string | null;
  audio: string | null;
  video: string | null;
}

export interface ShownQuestion {
  id: string;
  kind: string;
  text: string;
  options: ShownOption[];
  responses: Response[];
  fallback: boolean;
  answer_names: Record<string, string>;
}

export interface ParticipantState {
  title: string;
  goal: string;
  instructions: string | null;
  state: "open" | "paused" | "closed";
  question: ShownQuestion | null;
  done: string | null;
  done_kind: "settled" | "budget" | "exhausted" | "quota" | null;
  answers: number;
  quota: number | null;
  diameter: number | null;
  start: number | null;
  forecast: { likely: number | null; text: string } | null;
  estimate: unknown;
  result: string[] | null;
  ordered: boolean;
  certainty: string | null;
  shared: boolean;
  behind: boolean;
  held: boolean;
  catching_up: boolean;
  why: boolean;
  preload: string[];
  refused: string | null;
  opens: string | null;
  leaves: boolean;
  thanks: string | null;
  code: string | null;
  returns: boolean;
}

export interface OwnAnswer {
  question: string;
  kind: string;
  text: string;
  options: ShownOption[];
  answer_names: Record<string, string>;
  response: Response | null;
  skipped: boolean;
  time: string;
}

export interface ResponseOutlook {
  response: Response;
  chance: number;
  diameter: number;
  guess: string;
}

export interface ListedStudy {
  study: string;
  goal: string | null;
  aim: string;
  state: string;
  answers: number;
  people: number;
}

/** Somebody with a token; `you`: whoever looks at the page. */
export interface ListedOwner {
  name: string;
  role: "owner" | "viewer";
  created: string;
  you: boolean;
}

export interface NewOwner {
  name: string;
  role: "owner" | "viewer";
  token: string;
  link: string;
}

export interface PersonOverview {
  participant: string;
  name: string;
  log: number;
  quota: number | null;
  paused: boolean;
  status: string | null;
  joined: boolean;
  answers: number;
  last: string | null;
  diameter: number | null;
  done: string | null;
  settled: boolean;
  guess: string | null;
  trusted: number | null;
  link: string;
}

export interface SavedQuestions {
  people: number;
  own: number | null;
  random: number | null;
  limit: number;
  share: number | null;
  at_least: boolean;
  known: boolean;
  advice: string[];
}

export interface PeopleBefore {
  people_before: number;
  people: number;
  likely: number;
  low: number;
  high: number;
  text: string;
}

export interface StudyOverview {
  goal: string;
  aim: string;
  state: "open" | "settled" | "finished" | "paused" | "closed";
  mode: "own" | "pooled";
  why: boolean;
  beyond: boolean;
  wording: { question?: string; answers?: Record<string, string>; instructions?: string };
  may_continue: boolean;
  log: number;
  epsilon: number;
  answers: number;
  participants: PersonOverview[];
  next_person: string | null;
  to_invite: string[];
  saved: SavedQuestions | null;
  saved_by_people: PeopleBefore | null;
  simulating: [number, number] | null;
  fallbacks: number;
  behind: boolean;
}

/** What changed in an overview since the last message. */
export interface OverviewChanges extends Partial<StudyOverview> {
  gone?: string[];
}

export interface OddAnswer {
  text: string;
  answer: string;
  who: string | null;
  off: number | null;
  fit: string;
}

export interface Absence {
  silent: string[];
  left_out: string[];
  settled_without: boolean;
  text: string;
}

export interface Learned {
  log: number;
  answers: number;
  diameter: number;
  error: number;
  guess: string;
  remarks: string[];
  absence: Absence | null;
  reason: string | null;
  settled: boolean;
  rate: number;
  trusted: Record<string, number>;
  html: { charts: string; curve: string; pace: string };
  lines: { log: number; points: [number, number][] }[];
  odd: OddAnswer[];
  trouble?: string;
}

export interface StudyItems {
  items: string[];
  retired: string[];
  columns: string[];
  can_retire: boolean;
}
