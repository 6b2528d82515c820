import { rolesDiffer } from "./devices.errors.ts";
import type { Device } from "./devices.types.ts";

interface GivenRole {
  readonly role?: Device["role"] | undefined;
  /** Former name of `role`. */
  readonly type?: Device["role"] | undefined;
}

/** Returns the fields with `type` merged into `role`. @throws DomainError `device.roles_differ` if they contradict each other */
export function withRole<Given extends GivenRole>({ type, ...fields }: Given) {
  if (type !== undefined && fields.role !== undefined && type !== fields.role) throw rolesDiffer();
  return { ...fields, role: fields.role ?? type };
}
