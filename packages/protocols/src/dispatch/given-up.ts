/** A person has ended something instead of mending what was in its way: whatever was under way for it stops here. */
export class GivenUp extends Error {
  constructor(subject: string, comment = "given up by a person") {
    super(`${subject} was given up: ${comment}`);
  }
}
