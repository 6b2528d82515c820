import { rolesDiffer } from "./devices.errors.ts";
import type { Device } from "./devices.types.ts";

interface GivenRole {
  readonly role?: Device["role"] | undefined;
  /** The older name of `role`. */
  readonly type?: Device["role"] | undefined;
}

/** The fields with `type` merged into `role`. @throws DomainError `device.roles_differ` where they contradict each other. */
export function withRole<Given extends GivenRole>({ type, ...fields }: Given) {
  if (type !== undefined && fields.role !== undefined && type !== fields.role) throw rolesDiffer();
  return { ...fields, role: fields.role ?? type };
}
