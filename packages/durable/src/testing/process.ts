import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, type Engine, type EngineOptions } from "../engine.ts";
import { systemClock, systemIds } from "../environment.ts";
import type { HostIdentity } from "../host.ts";
import { openSqlite, type Sqlite } from "../sqlite.ts";
import { systemSleep, type Sleep } from "../timer.ts";
import { memoryBlobs, memoryInbox, type MemoryBlobs, type MemoryInbox } from "./memory.ts";

/** A folder with a database and everything else that outlives its processes. */
export interface Place {
  readonly path: string;
  readonly blobs: MemoryBlobs;
  readonly inbox: MemoryInbox;
  /** A simulated process with its own connection and pid, which can be killed. */
  open<K>(options: Pick<EngineOptions<K>, "workflows" | "kernel"> & Partial<EngineOptions<K>>): Promise<Process>;
  /** Runs SQL on the file, like another program. */
  tamper(sql: string, ...values: (string | number)[]): Promise<void>;
  dispose(): Promise<void>;
}

export interface Process {
  readonly engine: Engine;
  readonly sqlite: Sqlite;
  readonly host: HostIdentity;
  /** Like SIGKILL: no database call returns any more, and other processes see that this one is dead. */
  crash(): void;
  /** Code of a crashed process runs until its next use of the database or the clock; a body can check here whether it is alive. */
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
