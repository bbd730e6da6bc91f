/** A child process of the suite. It repeatedly adds to one balance and inserts a row. */
import type { SuiteDatabase } from "./suite.ts";

const [module = "", location = "", times = "0"] = process.argv.slice(2);
const { open } = (await import(module)) as { open(location: string): Promise<SuiteDatabase> };
const { db, close } = await open(location);
for (let turn = 0; turn < Number(times); turn++) {
  await db.transaction().execute(async (tx) => {
    const { balance } = await tx.selectFrom("accounts").select("balance").where("id", "=", "b").executeTakeFirstOrThrow();
    await tx
      .updateTable("accounts")
      .set({ balance: Number(balance) + 1 })
      .where("id", "=", "b")
      .execute();
    await tx
      .insertInto("notes")
      .values({ key: `${process.pid}:${turn}`, body: "", bytes: null, at: 0 })
      .execute();
  });
}
await close();
