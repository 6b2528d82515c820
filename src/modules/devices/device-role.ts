import { rolesDiffer } from "./devices.errors.ts";
import type { Device } from "./devices.types.ts";

interface GivenRole {
  readonly role?: Device["role"] | undefined;
  /** The older name of `role`. */
  readonly type?: Device["role"] | undefined;
}

/** The fields with `type` merged into `role`. @throws DomainError `device.roles_differ` where they contradict each other. */
export function withRole<Given extends GivenRole>({ type, ...given }: Given) {
  if (type !== undefined && given.role !== undefined && type !== given.role) throw rolesDiffer();
  return { ...given, role: given.role ?? type };
}
