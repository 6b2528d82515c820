import type { BlockRef } from "../blocks/block-directory.ts";
import type { BlockStore } from "../blocks/block-store.ts";
import { checkGroup } from "../hot/group-format.ts";
import { FORM_DELETION } from "../hot/hot-log.ts";
import { unpackGroup } from "../hot/hot-packing.ts";
import type { CheckReport } from "../store.types.ts";
import type { TelemetryFile } from "../telemetry-file.ts";
import type { Steps } from "./slice-scheduler.ts";

const PAGE_BLOCKS = 64;
/** Max. listed problems; a file with more must be restored from a backup. */
const PROBLEMS_MAX = 100;
/** Tables of blocks, which are read one by one. SQLite checks each other table in one step, because they are small. */
const BLOCK_TABLES = ["block", "body"];

/** File to check, and its blocks. */
export interface CheckedFile {
  readonly file: TelemetryFile;
  readonly blocks: BlockStore;
}

/** Reads and decodes the whole file, in slices between commits. Returns a list of unreadable parts. */
export function* checkTask(checked: CheckedFile): Steps<CheckReport> {
  const problems: string[] = [...checked.file.repairs];
  const note = (problem: string) => {
    if (problems.length < PROBLEMS_MAX) problems.push(problem);
  };
  const tables = guarded(note, "the list of tables", () => checked.file.tableNames()) ?? [];
  for (const table of tables.filter((name) => !BLOCK_TABLES.includes(name))) {
    const found = guarded(note, table, () => checked.file.quickCheck(table));
    for (const problem of found ?? []) note(`${table}: ${problem}`);
    yield;
  }
  const totals = yield* checkBlocks(checked, note);
  const hotRows = yield* checkHotRows(checked, note);
  return { ...totals, hotRows, problems };
}

type Note = (problem: string) => void;

function guarded<Result>(note: Note, subject: string, work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    note(`${subject}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function* checkBlocks(checked: CheckedFile, note: Note): Steps<{ blocks: number; points: number }> {
  let last: BlockRef | undefined;
  let blocks = 0;
  let points = 0;
  for (;;) {
    const page = nextPage(checked, note, last);
    if (page.length === 0) return { blocks, points };
    // Only lines of the same read can be compared, because blocks may be rewritten between reads.
    let previous: BlockRef | null = null;
    for (const ref of page) {
      const problem = blockProblem(checked, ref, previous);
      if (problem !== null) note(problem);
      blocks++;
      points += ref.points;
      previous = ref;
      yield;
    }
    last = page[page.length - 1];
  }
}

const nextPage = (checked: CheckedFile, note: Note, last: BlockRef | undefined): BlockRef[] =>
  guarded(note, "the directory of blocks", () => checked.blocks.following(last ?? null, PAGE_BLOCKS)) ?? [];

function blockProblem(checked: CheckedFile, ref: BlockRef, previous: BlockRef | null): string | null {
  if (ref.family < 0) return checked.blocks.describe(ref, "damaged and put aside earlier");
  if (checked.blocks.load(ref) === null) return checked.blocks.corrupt.get(ref.body) ?? "a damaged block";
  const sameFamily = previous?.device === ref.device && previous.family === ref.family;
  return sameFamily && previous.maxTs >= ref.minTs
    ? checked.blocks.describe(ref, "overlaps the block before it")
    : null;
}

function* checkHotRows(checked: CheckedFile, note: Note): Steps<number> {
  let rows = 0;
  const { log } = checked.file;
  for (const problem of log.problems()) note(problem);
  for (const { id, form, data, isSound } of log.all()) {
    rows++;
    if (!isSound) note(`hot row ${id}: its checksum does not match`);
    else if (form !== FORM_DELETION)
      guarded(note, `hot row ${id}`, () => checkGroup(unpackGroup(form, data)));
    yield;
  }
  return rows;
}
