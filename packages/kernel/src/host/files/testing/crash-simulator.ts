import { MemoryFileSystem, ROOT, type DiskEvent } from "./memory-file-system.ts";

/** A possible disk after a power cut, with the writes that were acknowledged before it. */
export interface CrashState {
  readonly fs: MemoryFileSystem;
  readonly acknowledged: ReadonlySet<string>;
  /** The number of events before the crash; printed if a check fails. */
  readonly after: number;
}

type EntryEvent = Extract<DiskEvent, { readonly directory: number }>;
type Logged = DiskEvent | { readonly kind: "acknowledge"; readonly label: string };

/**
 * Records the calls of a writer and enumerates every disk that a power cut may leave. It assumes only what POSIX guarantees:
 * unsynced content may be lost, torn, zero-filled or complete; each unsynced directory change may be lost or complete,
 * in any combination, so a rename may survive although the content it points at did not.
 */
export class CrashSimulator {
  readonly fs = new MemoryFileSystem();
  readonly #log: Logged[] = [];

  constructor() {
    this.fs.record = (event) => this.#log.push(event);
  }

  /** Call it after the writer has reported success. */
  acknowledge(label: string): void {
    this.#log.push({ kind: "acknowledge", label });
  }

  *crashStates(): Generator<CrashState> {
    const disk = new DiskModel();
    yield* disk.states(0);
    for (const [index, event] of this.#log.entries()) {
      disk.apply(event);
      yield* disk.states(index + 1);
    }
  }
}

class DiskModel {
  readonly #durable = new Map<number, Map<string, number>>([[ROOT, new Map()]]);
  readonly #pending = new Map<number, EntryEvent[]>();
  readonly #content = new Map<number, { synced: Uint8Array; current: Uint8Array }>();
  readonly #acknowledged = new Set<string>();

  apply(event: Logged): void {
    if (event.kind === "acknowledge") this.#acknowledged.add(event.label);
    else if (event.kind === "write") this.#write(event.node, event.bytes);
    else if (event.kind === "syncFile") this.#syncFile(event.node);
    else if (event.kind === "syncDirectory") this.#syncDirectory(event.directory);
    else this.#pend(event);
  }

  *states(after: number): Generator<CrashState> {
    const events = [...this.#pending.values()].flat();
    const torn = [...this.#content].filter(([, { synced, current }]) => synced !== current);
    const contents = combinations(torn.map(([node, content]) => variants(content).map((bytes) => [node, bytes] as const)));
    for (const kept of subsets(events))
      for (const content of contents) yield { fs: this.#disk(kept, new Map(content)), acknowledged: new Set(this.#acknowledged), after };
  }

  #disk(kept: readonly EntryEvent[], content: ReadonlyMap<number, Uint8Array>): MemoryFileSystem {
    const nodes = new Map<number, { entries: Map<string, number> } | { bytes: Uint8Array }>();
    for (const [directory, entries] of this.#durable) nodes.set(directory, { entries: new Map(entries) });
    for (const event of kept) {
      const directory = nodes.get(event.directory);
      if (directory !== undefined && "entries" in directory) applyEntry(directory.entries, event);
    }
    for (const [node, { synced }] of this.#content) nodes.set(node, { bytes: content.get(node) ?? synced });
    return new MemoryFileSystem(nodes);
  }

  #pend(event: EntryEvent): void {
    if (event.kind === "create") this.#content.set(event.node, EMPTY);
    if (event.kind === "mkdir") this.#durable.set(event.node, new Map());
    this.#pending.set(event.directory, [...(this.#pending.get(event.directory) ?? []), event]);
  }

  #write(node: number, bytes: Uint8Array): void {
    const { synced, current } = this.#content.get(node) ?? EMPTY;
    this.#content.set(node, { synced, current: Buffer.concat([current, bytes]) });
  }

  #syncFile(node: number): void {
    const { current } = this.#content.get(node) ?? EMPTY;
    this.#content.set(node, { synced: current, current });
  }

  #syncDirectory(directory: number): void {
    const entries = this.#durable.get(directory) ?? new Map<string, number>();
    for (const event of this.#pending.get(directory) ?? []) applyEntry(entries, event);
    this.#durable.set(directory, entries);
    this.#pending.delete(directory);
  }
}

const NOTHING = new Uint8Array();
const EMPTY = { synced: NOTHING, current: NOTHING };

function applyEntry(entries: Map<string, number>, event: EntryEvent): void {
  if (event.kind === "create" || event.kind === "mkdir") entries.set(event.name, event.node);
  if (event.kind === "unlink") entries.delete(event.name);
  if (event.kind === "rename") {
    entries.delete(event.from);
    entries.set(event.to, event.node);
  }
}

/** The possible contents of a file with unsynced writes. */
function variants({ synced, current }: { readonly synced: Uint8Array; readonly current: Uint8Array }): Uint8Array[] {
  const half = synced.length + Math.ceil((current.length - synced.length) / 2);
  return [
    synced,
    current,
    current.slice(0, half),
    Buffer.concat([current.slice(0, half), new Uint8Array(current.length - half)]),
    new Uint8Array(current.length),
    NOTHING,
  ];
}

function* subsets<T>(items: readonly T[]): Generator<T[]> {
  for (let mask = 0; mask < 2 ** items.length; mask++) yield items.filter((_, index) => (mask >> index) & 1);
}

function combinations<T>(choices: readonly (readonly T[])[]): T[][] {
  return choices.reduce<T[][]>((all, options) => all.flatMap((chosen) => options.map((option) => [...chosen, option])), [[]]);
}
