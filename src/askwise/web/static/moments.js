// @ts-check
// Moments that the server sends in UTC, as a calendar and a clock at the reader's place show them.

const PARTS = /** @type {const} */ ({
  weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
});

/**
 * A moment with its day, time and time zone, in a language, as the reader's region writes it.
 * @param {string} moment  such as 2026-12-01T08:00:00+00:00
 * @param {string} language
 */
export function localMoment(moment, language) {
  const region = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
  return new Intl.DateTimeFormat(region, PARTS).format(new Date(moment));
}

for (const shown of document.querySelectorAll("time")) shown.textContent = localMoment(shown.dateTime, document.documentElement.lang);
