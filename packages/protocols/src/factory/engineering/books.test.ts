import type { Ctx } from "@slipway/durable/ctx";
import { expect, test } from "vitest";
import { settledBefore } from "../unhurried.ts";
import { openBooks } from "./books.ts";

const all: Ctx["all"] = (operations) => Promise.all(operations.map((operation) => operation()));
const order: string[] = [];
const note = (name: string) => async () => void order.push(name);

test("what is due is done beside what takes long, in its order, and what comes up meanwhile with it", async () => {
  order.length = 0;
  const books = openBooks({ all });
  const { promise, resolve } = Promise.withResolvers<string>();
  books.later(note("first"));
  books.later(note("second"));
  const both = books.beside(
    () => promise,
    async () => {
      books.later(note("fourth"));
      order.push("third");
      return 3;
    },
  );
  await expect.poll(() => order).toEqual(["first", "second", "third", "fourth"]);
  resolve("long");
  expect(await both).toEqual(["long", 3]);
  expect(await books.beside(async () => "nothing is due")).toEqual(["nothing is due", null]);
});

test("nobody is asked, and no time is waited for, before it is done", async () => {
  order.length = 0;
  const books = openBooks({ all });
  const wait = (name: string) => async () => void order.push(name);
  const ctx = settledBefore({ all, ask: wait("asked"), sleep: wait("slept") } as unknown as Ctx, books.catchUp);
  books.later(note("one"));
  await ctx.ask("a", {} as never);
  books.later(note("two"));
  await ctx.sleep("b", 1);
  await books.catchUp();
  expect(order).toEqual(["one", "asked", "two", "slept"]);
});
