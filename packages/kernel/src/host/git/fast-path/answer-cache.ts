import type { Repository } from "../repository.ts";

const MOST_ANSWERS = 100;

/**
 * Answers to questions about objects that are named by their ids: they are the same for ever, and asked again at every step of a
 * feature. Large ones are not kept.
 */
export function remembered<T>(isSmall: (answer: T) => boolean) {
  const known = new WeakMap<Repository, Map<string, Promise<T>>>();

  return (repo: Repository, question: readonly string[], ask: () => Promise<T>): Promise<T> => {
    const answers = known.get(repo) ?? new Map<string, Promise<T>>();
    known.set(repo, answers);
    const key = question.join(" ");
    const found = answers.get(key);
    if (found !== undefined) return found;
    const answer = ask();
    answers.set(key, answer);
    const forget = () => void (answers.get(key) === answer && answers.delete(key));
    answer.then((text) => isSmall(text) || forget(), forget);
    const [oldest] = answers.keys();
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
