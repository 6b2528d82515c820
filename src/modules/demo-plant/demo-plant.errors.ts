import { forbidden } from "../../lib/domain-error.ts";

export const noRoom = (needed: number, room: number) =>
  forbidden(
    "demo_plant.no_room",
    `The demo plant needs ${needed} devices more, and the plan of this tenant has room for ${room}.`,
  );
