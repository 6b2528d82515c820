import { type BacnetRef, parseBacnetAddress } from "../../lib/bacnet/bacnet-objects.ts";
import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { addressInvalid, bacnetErrors, objectInvalid } from "./bacnet.errors.ts";
import type { BacnetObject } from "./bacnet.types.ts";

export const OBJECTS_MAX = 500;

/** @throws DomainError `invalid` */
export function refOf({ address }: Pick<BacnetObject, "address">): BacnetRef {
  const ref = parseBacnetAddress(address);
  if (ref === undefined) throw addressInvalid();
  return ref;
}

export const objectProblem = ({ address }: BacnetObject): Text | undefined =>
  parseBacnetAddress(address) === undefined ? detail("bacnet_rule.address") : undefined;

/** @throws DomainError `invalid` for an invalid address or a duplicate key */
export function ensureObjects(objects: readonly BacnetObject[]): void {
  const keys = new Set<string>();
  for (const object of objects) {
    const problem = objectProblem(object);
    if (problem !== undefined) throw objectInvalid(object.key, problem);
    if (keys.has(object.key)) throw objectInvalid(object.key, bacnetErrors.keyTwice());
    keys.add(object.key);
  }
}
