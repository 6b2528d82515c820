import type { catalogBody } from "../../../modules/connectivity/connectivity.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get } from "../../platform/api-client.ts";

type Catalog = Wire<typeof catalogBody>;
export type CatalogTransport = Pick<Catalog["transports"][number], "id" | "name" | "url">;

export const connectivityApi = {
  catalog: () => get<Catalog>("/api/v1/connectivity/catalog"),
};
