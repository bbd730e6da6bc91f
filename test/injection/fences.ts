/** The parts of a prompt outside the data fences. */
export function outsideFences(prompt: string): string {
  const marker = /<<<(text-[0-9a-f]{16}) and \1>>>/.exec(prompt)?.[1];
  if (marker === undefined) throw new Error("The prompt names no fence.");
  const parts = prompt.split(`<<<${marker}\n`);
  return parts
    .map((part, index) => {
      if (index === 0) return part;
      const end = part.lastIndexOf(`\n${marker}>>>`);
      if (end < 0) throw new Error("A fence is never closed.");
      return part.slice(end);
    })
    .join("");
}
