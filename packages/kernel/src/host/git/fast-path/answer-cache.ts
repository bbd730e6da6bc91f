import type { Repository } from "../repository.ts";

const MOST_ANSWERS = 100;

/**
 * Caches answers about objects that are named by their ids: they never change, and are needed again at each step of a
 * feature. Large answers are not cached.
 */
export function cachedAnswers<T>(isSmall: (answer: T) => boolean) {
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
