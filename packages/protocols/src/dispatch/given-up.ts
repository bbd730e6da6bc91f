/** Thrown when a person gives up instead of fixing a problem; ends the work on the subject. */
export class GivenUp extends Error {
  constructor(subject: string, comment = "given up by a person") {
    super(`${subject} was given up: ${comment}`);
  }
}
