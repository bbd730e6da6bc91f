import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, type Engine, type EngineOptions } from "../engine.ts";
import { systemClock, systemIds } from "../environment.ts";
import type { HostIdentity } from "../host.ts";
import { openSqlite, type Sqlite } from "../sqlite.ts";
import { systemSleep, type Sleep } from "../timer.ts";
import { memoryBlobs, memoryInbox, type MemoryBlobs, type MemoryInbox } from "./memory.ts";

/** A folder with a database, and what outlives its processes. */
export interface Place {
  readonly path: string;
  readonly blobs: MemoryBlobs;
  readonly inbox: MemoryInbox;
  /** A process as far as the engine can tell: its own connection, pid and fate. */
  open<K>(options: Pick<EngineOptions<K>, "workflows" | "kernel"> & Partial<EngineOptions<K>>): Promise<Process>;
  /** Plain SQL on the file, as an intruder would have it. */
  tamper(sql: string, ...values: (string | number)[]): Promise<void>;
  dispose(): Promise<void>;
}

export interface Process {
  readonly engine: Engine;
  readonly sqlite: Sqlite;
  readonly host: HostIdentity;
  /** As SIGKILL would: no call to the database ever returns again, and everybody can see that the process is dead. */
  crash(): void;
  /** The code of a crashed process runs on until it next needs the database or the time; a body asks here whether it is still alive. */
  isDead(): boolean;
}

export function openPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "slipway-durable-"));
  const path = join(folder, "slipway.db");
  const [blobs, inbox] = [memoryBlobs(), memoryInbox()];
  const dead = new Set<number>();
  const connections: Sqlite[] = [];
  let pids = 1000;

  const connect = () => {
    const sqlite = openSqlite(path, { busyTimeoutMs: 2000 });
    connections.push(sqlite);
    return sqlite;
  };
  return {
    path,
    blobs,
    inbox,
    async open(options) {
      const pid = pids++;
      const host: HostIdentity = {
        host: "test",
        pid,
        startedAt: String(pid),
        isDead: (other) => other.host === "test" && dead.has(other.pid),
      };
      const isDead = () => dead.has(pid);
      const sqlite = mortal(connect(), isDead);
      const sleep: Sleep = (ms, signal) => (options.sleep ?? systemSleep)(ms, signal).then(() => (isDead() ? never : undefined));
      const engine = await openEngine({
        blobs,
        inbox,
        clock: systemClock,
        ids: systemIds,
        pollMs: 10,
        graceMs: 200,
        host,
        ...options,
        sqlite,
        sleep,
      });
      return { engine, sqlite, host, crash: () => void dead.add(pid), isDead };
    },
    async tamper(sql, ...values) {
      const sqlite = connect();
      await sqlite.write((database) => database.prepare(sql).run(...values));
    },
    async dispose() {
      for (const sqlite of connections) await sqlite.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const never = new Promise<never>(() => undefined);

function mortal(sqlite: Sqlite, isDead: () => boolean): Sqlite {
  const unlessDead = <T>(result: Promise<T>): Promise<T> => result.finally(() => (isDead() ? never : undefined));
  return {
    path: sqlite.path,
    prepare: (sql) => sqlite.prepare(sql),
    exclusive: (work, durability) => (isDead() ? never : unlessDead(sqlite.exclusive(work, durability))),
    write: (work) => (isDead() ? never : unlessDead(sqlite.write(work))),
    reading: (work) => (isDead() ? never : unlessDead(sqlite.reading(work))),
    close: () => sqlite.close(),
  };
}
