import { invalid } from "../../lib/core/domain-error.ts";
import { agedSnapshots } from "./backup-job.ts";
import type { BackupPlace, SnapshotRecord } from "./snapshot.types.ts";
import { BackupRepository, openTarget } from "./snapshot-repository.ts";

const PROBE = "probe";

/** Stored snapshot, without its objects. */
export interface ListedSnapshot
  extends Pick<SnapshotRecord, "id" | "createdAt" | "lineside" | "bytes" | "addedBytes"> {
  /** False if the snapshot can only be restored partially, or contains damaged data. */
  readonly isGood: boolean;
}

interface Access {
  readonly place: BackupPlace;
  readonly passphrase: string | undefined;
}

/** Request to a backup place. */
export type PlaceRequest =
  | (Access & { readonly kind: "test"; readonly gateway: string; readonly machine: string | undefined })
  | (Access & { readonly kind: "snapshots" })
  | (Access & { readonly kind: "objects"; readonly snapshotId: string })
  | { readonly kind: "object"; readonly place: BackupPlace; readonly name: string };

/** Writes, reads and removes an object. @throws DomainError the place's error */
async function test({ place, passphrase, gateway, machine }: PlaceRequest & { kind: "test" }): Promise<void> {
  const target = openTarget(place);
  const bytes = crypto.getRandomValues(new Uint8Array(64));
  await target.write(PROBE, bytes);
  const read = await target.read(PROBE);
  await target.remove(PROBE);
  if (!Buffer.from(read).equals(bytes)) throw invalid("backup.object_damaged", { name: PROBE });
  if (await BackupRepository.exists(target))
    await BackupRepository.openOrCreate(target, { passphrase, gateway, machine });
}

/** Returns the stored snapshots, newest first. */
async function snapshots({ place, passphrase }: Access): Promise<ListedSnapshot[]> {
  const target = openTarget(place);
  if (!(await BackupRepository.exists(target))) return [];
  const repository = await BackupRepository.open(target, passphrase);
  const survey = await repository.survey();
  const aged = await agedSnapshots(repository, survey);
  const good = new Set(aged.flatMap(({ id, isGood }) => (isGood ? [id] : [])));
  return survey.records.toReversed().map(({ id, createdAt, lineside, bytes, addedBytes }) => ({
    id,
    createdAt,
    lineside,
    bytes,
    addedBytes,
    isGood: good.has(id),
  }));
}

/** Returns the names of the objects of a snapshot, in the order of an archive. @throws DomainError `not_found` */
async function objects({ place, passphrase }: Access, snapshotId: string): Promise<string[]> {
  const repository = await BackupRepository.open(openTarget(place), passphrase);
  return BackupRepository.objectsOf(await repository.snapshot(snapshotId));
}

/** Returns nothing, a `ListedSnapshot[]`, names, or an object as it is stored. @throws DomainError the place's error */
export async function responseOf(request: PlaceRequest): Promise<unknown> {
  if (request.kind === "test") return test(request);
  if (request.kind === "object") return openTarget(request.place).read(request.name);
  return request.kind === "snapshots" ? snapshots(request) : objects(request, request.snapshotId);
}
