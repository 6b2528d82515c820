import { conflict, notFound } from "../../lib/domain-error.ts";

export const deliveryNotFound = () =>
  notFound("outbound.not_found", "There is no such request any more: it was delivered, or deleted.");
export const notDead = () => conflict("outbound.not_dead", "The request still waits; it goes out by itself.");
