import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { SlipwayError } from "./schema/errors.ts";
import { openSqlite, translate } from "@slipway/durable/sqlite";
import type { FeatureBoard } from "./change/views/board/board.ts";
import { readBoardRows } from "./change/views/board/read.ts";
import { layoutAt, type Layout } from "./host/layout.ts";
import { MIGRATIONS } from "./migrations.ts";
import { checkedVersion } from "./record/database/version.ts";
import { formerPlaces } from "./record/relocation/former.ts";

/** The repository root is found by its folders alone: starting git would cost more than everything else here. */
export function findLayout(start: string): Layout {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return layoutAt(folder);
    if (folder === dirname(folder)) break;
  }
  throw new SlipwayError("not_a_repository", `${start} is not inside a git repository.`, {
    suggested_next_actions: ["Change to your project's folder, or make one with `git init`."],
  });
}

export async function readBoard(layout: Layout): Promise<FeatureBoard> {
  const window = await openBoardReader(layout);
  try {
    return window.read();
  } finally {
    window.close();
  }
}

/** For whoever looks again and again; at once, because the connection is nobody else's. */
export interface BoardReader {
  read(): FeatureBoard;
  close(): void;
}

export async function openBoardReader(layout: Layout): Promise<BoardReader> {
  const empty = { repository: layout.root, features: [], runs: [], questions: [], locks: [], budgets: [], notifications: [] };
  if (existsSync(formerPlaces(layout).database)) await (await import("./record/relocation/relocate.ts")).relocate(layout);
  if (!existsSync(layout.database)) return { read: () => empty, close: () => undefined };
  const sqlite = openSqlite(layout.database, { readOnly: true });
  const close = () => void sqlite.close();
  try {
    await checkedVersion(sqlite, MIGRATIONS);
  } catch (error) {
    close();
    throw error;
  }
  return {
    close,
    read() {
      try {
        return { ...empty, ...readBoardRows(sqlite, layout, Date.now()) };
      } catch (error) {
        throw translate(error, layout.database);
      }
    },
  };
}
