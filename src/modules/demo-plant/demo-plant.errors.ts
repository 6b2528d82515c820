import { forbidden } from "../../lib/core/domain-error.ts";

export const noRoom = (needed: number, room: number) => forbidden("demo_plant.no_room", { needed, room });
