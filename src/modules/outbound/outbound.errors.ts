import { conflict, notFound } from "../../lib/core/domain-error.ts";

export const deliveryNotFound = () => notFound("outbound.not_found");
export const notDead = () => conflict("outbound.not_dead");
