import { get } from "../../platform/api-client.ts";

export const connectivityApi = {
  catalog: () =>
    get<{ transports: { id: string; name: string; url: string }[] }>("/api/v1/connectivity/catalog"),
};
