// @ts-check
// The overview of a study comes whole once, and then as changes: with a thousand people, few change at a time.

/** @typedef {import("./types.d.ts").StudyOverview} StudyOverview */
/** @typedef {import("./types.d.ts").OverviewChanges} OverviewChanges */

/**
 * The overview after changes. People stay in their order; new ones come last.
 * @param {StudyOverview} before
 * @param {OverviewChanges} changes
 * @returns {StudyOverview}
 */
export function applyChanges(before, { participants = [], gone = [], ...rest }) {
  const changed = new Map(participants.map((person) => [person.participant, person]));
  const left = before.participants.filter((person) => !gone.includes(person.participant));
  const known = left.map((person) => changed.get(person.participant) ?? person);
  const ids = new Set(left.map((person) => person.participant));
  const added = participants.filter((person) => !ids.has(person.participant));
  return { ...before, ...rest, participants: [...known, ...added] };
}
