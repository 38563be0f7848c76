// What this browser remembers; where it refuses to, until the tab is closed.

const memory = new Map();

export function recall(name) {
  if (memory.has(name)) return memory.get(name);
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
    memory.delete(name);
  } catch {
    memory.set(name, value);
  }
}
