import { createHash } from "node:crypto";

/** Stable over the life of what it is made for, and no longer than every broker takes (MQTT 3.1.1, 3.1.3.1: 23 characters). */
export const clientIdOf = (ownerId: string): string => {
  const digest = createHash("sha256").update(ownerId).digest("hex");
  return `lineside-${BigInt(`0x${digest}`).toString(36).slice(0, 14)}`;
};
