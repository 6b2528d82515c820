import type { FaultSubjectKind } from "../../lib/alarms/fault-sources.ts";
import type { FaultSubject } from "./faults.types.ts";

/** Current names of objects of one kind. */
export interface NameSource {
  nameOf(id: string): string | undefined;
}

/** Current names of the objects of faults; each module adds its kinds. Objects of other kinds keep the name in the fault. */
export class SubjectNames {
  readonly #sources = new Map<FaultSubjectKind, NameSource>();

  add(kind: FaultSubjectKind, source: NameSource): void {
    this.#sources.set(kind, source);
  }

  find({ kind, id, name }: FaultSubject): string | undefined {
    return this.#sources.get(kind)?.nameOf(id) ?? name;
  }
}
