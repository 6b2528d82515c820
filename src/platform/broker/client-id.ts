import { createHash } from "node:crypto";

/** Returns a stable client id for an owner, of at most 23 characters, which every broker accepts (MQTT 3.1.1, 3.1.3.1). */
export const clientIdOf = (ownerId: string): string => {
  const digest = createHash("sha256").update(ownerId).digest("hex");
  return `lineside-${BigInt(`0x${digest}`).toString(36).slice(0, 14)}`;
};
