/** The bookmarks with one more, sorted by title. An address is kept once. */
export function withBookmark(bookmarks, { title, address }) {
  if (title.trim() === "") throw new RangeError("a bookmark has a title");
  const others = bookmarks.filter((one) => one.address !== address);
  return [...others, { title, address }].toSorted((left, right) => left.title.localeCompare(right.title));
}
