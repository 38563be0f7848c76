// @ts-check
// Values that this browser remembers. Where it refuses, they last until the tab is closed.

/** @type {Map<string, string>} */
const memory = new Map();

/**
 * The value stored under a name; null if there is none.
 * @param {string} name
 * @returns {string | null}
 */
export function load(name) {
  const remembered = memory.get(name);
  if (remembered !== undefined) return remembered;
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Stores a value under a name.
 * @param {string} name
 * @param {string} value
 */
export function save(name, value) {
  try {
    localStorage.setItem(name, value);
    memory.delete(name);
  } catch {
    memory.set(name, value);
  }
}
