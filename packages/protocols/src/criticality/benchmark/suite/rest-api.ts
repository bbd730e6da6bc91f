import type { BenchmarkCase } from "./case.ts";

const NOTES = String.raw`/** A note of the service. */
export interface Note {
  readonly id: number;
  readonly text: string;
}

/** All notes, in the order of their ids, and the id of the next one. */
export interface NoteStore {
  readonly next: number;
  readonly notes: readonly Note[];
}

/**
 * ENSURES: result.next === store.next + 1
 * ENSURES: result.notes.length === store.notes.length + 1
 * ENSURES: result.notes.at(-1)?.id === store.next && result.notes.at(-1)?.text === text
 * PURITY: pure
 */
export function addNote(store: NoteStore, text: string): NoteStore {
  throw new Error("hole");
}

/**
 * ENSURES: result === null || result.id === id
 * ENSURES: store.notes.some((note) => note.id === id) implies result !== null
 * PURITY: pure
 */
export function findNote(store: NoteStore, id: number): Note | null {
  throw new Error("hole");
}

/**
 * The store without this note; ids are never given again.
 * ENSURES: result.next === store.next
 * ENSURES: !result.notes.some((note) => note.id === id)
 * PURITY: pure
 */
export function removeNote(store: NoteStore, id: number): NoteStore {
  throw new Error("hole");
}
`;

const ROUTES = String.raw`/** What a request is for. The id is null where the path has none. */
export interface Route {
  readonly action: "list" | "create" | "read" | "remove" | "not_allowed" | "not_found";
  readonly id: number | null;
}

/**
 * GET and POST of /notes list and create; GET and DELETE of /notes/ID read and remove. An id has one to nine digits and no leading zero.
 * Another method of these paths is not_allowed; any other path is not_found. What follows a question mark is ignored.
 * ENSURES: !path.startsWith("/notes") implies result.action === "not_found"
 * ENSURES: result.action === "read" || result.action === "remove" implies result.id !== null
 * ENSURES: result.action === "list" || result.action === "create" implies result.id === null
 * PURITY: pure
 */
export function routeOf(method: string, path: string): Route {
  throw new Error("hole");
}
`;

const API = String.raw`import { addNote, findNote, removeNote, type NoteStore } from "../domain/notes.ts";
import { routeOf } from "../domain/routes.ts";

/** A request as the server received it. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** The answer, and the store after it. */
export interface ApiAnswer {
  readonly status: number;
  /** JSON, or empty. */
  readonly body: string;
  readonly store: NoteStore;
}

/**
 * The text of a note from a body such as {"text":"milk"}. Null if the body is not JSON, is no object with exactly this key, or the text is
 * empty without its spaces. The text is returned without spaces around it.
 * ENSURES: body.trim() === "" implies result === null
 * ENSURES: result === null || (result !== "" && result === result.trim())
 * PURITY: pure
 */
export function noteTextOf(body: string): string | null {
  throw new Error("hole");
}

/**
 * Answers with JSON: 200 and the list of notes; 201 and the new note, or 400 and {"error":"invalid note"}; 200 and the note; 204 and an
 * empty body after a removal; 404 and {"error":"not found"} for an unknown note or path; 405 and {"error":"method not allowed"}. The store
 * changes only with 201 and 204.
 * ENSURES: result.status === 201 || result.status === 204 || result.store === store
 * ENSURES: result.status === 204 implies result.body === ""
 * ENSURES: [200, 201, 204, 400, 404, 405].includes(result.status)
 * PURITY: pure
 */
export function answerRequest(store: NoteStore, request: ApiRequest): ApiAnswer {
  throw new Error("hole");
}
`;

/** A REST API whose handler is a pure function. */
export const REST_API: BenchmarkCase = {
  id: "integration/rest-api",
  level: "integration",
  title: "a REST API for notes",
  files: { "src/domain/notes.ts": NOTES, "src/domain/routes.ts": ROUTES, "src/services/api.ts": API },
  calls: {
    "src/services/api.ts#answerRequest": [
      "src/domain/notes.ts#addNote",
      "src/domain/notes.ts#findNote",
      "src/domain/notes.ts#removeNote",
      "src/domain/routes.ts#routeOf",
      "src/services/api.ts#noteTextOf",
    ],
  },
  hidden: String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { answerRequest } from "../../src/services/api.ts";

const EMPTY = { next: 1, notes: [] };
const WITH_MILK = { next: 8, notes: [{ id: 7, text: "milk" }] };
const ask = (store: typeof WITH_MILK | typeof EMPTY, method: string, path: string, body = "") => answerRequest(store, { method, path, body });

test("creates and lists", () => {
  const created = ask(EMPTY, "POST", "/notes", '{"text":" milk "}');
  assert.equal(created.status, 201);
  assert.deepEqual(JSON.parse(created.body), { id: 1, text: "milk" });
  assert.deepEqual(created.store, { next: 2, notes: [{ id: 1, text: "milk" }] });
  const listed = ask(WITH_MILK, "GET", "/notes?sort=id");
  assert.equal(listed.status, 200);
  assert.deepEqual(JSON.parse(listed.body), [{ id: 7, text: "milk" }]);
});

test("reads and removes", () => {
  assert.deepEqual(JSON.parse(ask(WITH_MILK, "GET", "/notes/7").body), { id: 7, text: "milk" });
  const removed = ask(WITH_MILK, "DELETE", "/notes/7");
  assert.deepEqual([removed.status, removed.body, removed.store], [204, "", { next: 8, notes: [] }]);
});

test("refuses invalid notes", () => {
  for (const body of ["", "{", "[]", "null", '{"text":1}', '{"text":" "}', '{"text":"a","more":1}']) {
    const refused = ask(EMPTY, "POST", "/notes", body);
    assert.deepEqual([refused.status, JSON.parse(refused.body)], [400, { error: "invalid note" }]);
  }
});

test("does not find unknown notes and paths", () => {
  for (const path of ["/notes/8", "/notes/07", "/notes/x", "/notes/7/", "/", "/notesx"])
    assert.deepEqual([ask(WITH_MILK, "GET", path).status, JSON.parse(ask(WITH_MILK, "GET", path).body)], [404, { error: "not found" }]);
  assert.equal(ask(WITH_MILK, "DELETE", "/notes/8").status, 404);
});

test("does not allow other methods", () => {
  assert.equal(ask(WITH_MILK, "PUT", "/notes/7").status, 405);
  assert.equal(ask(WITH_MILK, "DELETE", "/notes").status, 405);
});
`,
};
