import { forbidden } from "../../lib/domain-error.ts";

export const noRoom = (needed: number, room: number) => forbidden("demo_plant.no_room", { needed, room });
