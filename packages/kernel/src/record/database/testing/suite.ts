import { spawn } from "node:child_process";
import { once } from "node:events";
import { sql, type Generated, type Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isUniqueViolation } from "./unique.ts";

/** Tables of the suite. Every backend creates them through Kysely's schema builder. */
export interface SuiteTables {
  accounts: { id: string; balance: number };
  notes: { id: Generated<number>; key: string; body: string; bytes: Uint8Array | null; at: number };
}

export interface SuiteDatabase {
  readonly db: Kysely<SuiteTables>;
  close(): Promise<void>;
}

export interface Backend {
  /** Creates an empty database and returns its location for `open`, which may run in another process. */
  create(): Promise<string>;
  /** A module exporting `open(location): Promise<SuiteDatabase>`, so that child processes can open the same database. */
  readonly module: URL;
}

export async function createSuiteTables(db: Kysely<SuiteTables>): Promise<void> {
  await db.schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("balance", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("notes")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("key", "text", (column) => column.notNull().unique())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("bytes", "blob")
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}

const note = (key: string, body = "") => ({ key, body, bytes: null, at: 0 });

/** Everything the kernel relies on. Written against Kysely only: another backend must pass the same cases unchanged. */
export function databaseSuite(name: string, backend: Backend): void {
  describe(name, () => {
    let location: string;
    let database: SuiteDatabase;
    let db: Kysely<SuiteTables>;

    beforeEach(async () => {
      location = await backend.create();
      const { open } = (await import(backend.module.href)) as { open(location: string): Promise<SuiteDatabase> };
      database = await open(location);
      db = database.db;
      await createSuiteTables(db);
      await db
        .insertInto("accounts")
        .values([
          { id: "a", balance: 100 },
          { id: "b", balance: 0 },
        ])
        .execute();
    });
    afterEach(() => database.close());

    const balance = async (id: string, from: Kysely<SuiteTables> = db) =>
      Number((await from.selectFrom("accounts").select("balance").where("id", "=", id).executeTakeFirstOrThrow()).balance);

    test("a transaction returns its value and is committed", async () => {
      const moved = await db.transaction().execute(async (tx) => {
        await tx.updateTable("accounts").set({ balance: 60 }).where("id", "=", "a").execute();
        await tx.updateTable("accounts").set({ balance: 40 }).where("id", "=", "b").execute();
        return 40;
      });
      expect(moved).toBe(40);
      expect([await balance("a"), await balance("b")]).toEqual([60, 40]);
    });

    test("a transaction that throws writes nothing", async () => {
      const failing = db.transaction().execute(async (tx) => {
        await tx.updateTable("accounts").set({ balance: 0 }).where("id", "=", "a").execute();
        await new Promise((resolve) => setImmediate(resolve));
        expect(await balance("a", tx)).toBe(0);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      expect(await balance("a")).toBe(100);
    });

    test("a failed statement rolls the whole transaction back and the next one works", async () => {
      const failing = db.transaction().execute(async (tx) => {
        await tx.insertInto("notes").values(note("k")).execute();
        await tx.insertInto("notes").values(note("k")).execute();
      });
      await expect(failing).rejects.toSatisfy(isUniqueViolation);
      await db.insertInto("notes").values(note("k")).execute();
      expect(await db.selectFrom("notes").select("key").execute()).toEqual([{ key: "k" }]);
    });

    test("a savepoint rolls back a part of a transaction", async () => {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto("notes").values(note("kept")).execute();
        await sql`savepoint part`.execute(tx);
        await tx.insertInto("notes").values(note("taken back")).execute();
        await sql`rollback to savepoint part`.execute(tx);
      });
      expect(await db.selectFrom("notes").select("key").execute()).toEqual([{ key: "kept" }]);
    });

    test("another connection sees a transaction's rows only after the commit", async () => {
      const { open } = (await import(backend.module.href)) as { open(location: string): Promise<SuiteDatabase> };
      const other = await open(location);
      try {
        await db.transaction().execute(async (tx) => {
          await tx.updateTable("accounts").set({ balance: 1 }).where("id", "=", "a").execute();
          expect(await balance("a", other.db)).toBe(100);
        });
        expect(await balance("a", other.db)).toBe(1);
      } finally {
        await other.close();
      }
    });

    test("a read-only transaction sees one snapshot while others write", async () => {
      const { open } = (await import(backend.module.href)) as { open(location: string): Promise<SuiteDatabase> };
      const other = await open(location);
      try {
        await db
          .transaction()
          .setIsolationLevel("repeatable read")
          .setAccessMode("read only")
          .execute(async (tx) => {
            expect(await balance("a", tx)).toBe(100);
            await other.db.updateTable("accounts").set({ balance: 5 }).where("id", "=", "a").execute();
            expect(await balance("a", tx)).toBe(100);
          });
        expect(await balance("a")).toBe(5);
      } finally {
        await other.close();
      }
    });

    test("concurrent transactions of one process do not lose an update", async () => {
      const increment = () =>
        db.transaction().execute(async (tx) => {
          const before = await balance("b", tx);
          await new Promise((resolve) => setImmediate(resolve));
          await tx
            .updateTable("accounts")
            .set({ balance: before + 1 })
            .where("id", "=", "b")
            .execute();
        });
      await Promise.all(Array.from({ length: 50 }, increment));
      expect(await balance("b")).toBe(50);
    });

    test("concurrent writers of several processes do not lose an update", async () => {
      const writer = new URL("./writer.ts", import.meta.url).pathname;
      const children = Array.from({ length: 3 }, () =>
        spawn(process.execPath, ["--conditions=slipway-source", writer, backend.module.href, location, "25"], {
          stdio: ["ignore", "ignore", "inherit"],
        }),
      );
      const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
      expect(codes).toEqual([0, 0, 0]);
      expect(await balance("b")).toBe(75);
      expect(await db.selectFrom("notes").select(db.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).toEqual({ n: 75 });
    });

    test("a conditional update returns the number of rows it changed", async () => {
      const compareAndSet = (expected: number) =>
        db.updateTable("accounts").set({ balance: 7 }).where("id", "=", "a").where("balance", "=", expected).executeTakeFirst();
      expect((await compareAndSet(99)).numUpdatedRows).toBe(0n);
      expect((await compareAndSet(100)).numUpdatedRows).toBe(1n);
      expect((await db.deleteFrom("accounts").executeTakeFirst()).numDeletedRows).toBe(2n);
    });

    test("an upsert inserts once and then updates, and do-nothing keeps the first row", async () => {
      const upsert = (body: string) =>
        db
          .insertInto("notes")
          .values(note("k", body))
          .onConflict((conflict) => conflict.column("key").doUpdateSet({ body }))
          .returning(["body"])
          .executeTakeFirstOrThrow();
      expect(await upsert("first")).toEqual({ body: "first" });
      expect(await upsert("second")).toEqual({ body: "second" });
      const ignored = await db
        .insertInto("notes")
        .values(note("k", "third"))
        .onConflict((conflict) => conflict.column("key").doNothing())
        .executeTakeFirst();
      expect(ignored.numInsertedOrUpdatedRows).toBe(0n);
      expect(await db.selectFrom("notes").select("body").execute()).toEqual([{ body: "second" }]);
    });

    test("large and unusual values are read back unchanged", async () => {
      const body = `${"\u{1F6A2}é'\"\\%_\n".repeat(200_000)}end`;
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
      const at = Number.MAX_SAFE_INTEGER;
      await db.insertInto("notes").values({ key: "large", body, bytes, at }).execute();
      const row = await db.selectFrom("notes").selectAll().where("key", "=", "large").executeTakeFirstOrThrow();
      expect(row.body === body).toBe(true);
      expect(Buffer.from(row.bytes ?? []).equals(bytes)).toBe(true);
      expect(Number(row.at)).toBe(at);
    });

    test("long results can be streamed", async () => {
      await db
        .insertInto("notes")
        .values(Array.from({ length: 200 }, (_, index) => note(`k${index}`)))
        .execute();
      const seen: string[] = [];
      for await (const row of db.selectFrom("notes").select("key").orderBy("id").stream()) {
        seen.push(row.key);
        if (seen.length === 150) break;
      }
      expect(seen.at(-1)).toBe("k149");
      expect(await balance("a")).toBe(100);
    });
  });
}
