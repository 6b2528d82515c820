import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { Reason } from "../../lib/mqtt/reason.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { Clients } from "../sign-in/signed-in-clients.ts";
import { isApplicationSpace } from "../topics/principal.ts";
import type { Wills } from "./wills.ts";

/** Ends connections and sessions of devices and API keys that lost their access. */
export class Evictions {
  readonly #clients: Clients;
  readonly #wills: Wills;
  readonly #store: () => SessionStore | undefined;

  constructor(clients: Clients, wills: Wills, store: () => SessionStore | undefined) {
    this.#clients = clients;
    this.#wills = wills;
    this.#store = store;
  }

  device(deviceId: DeviceId): void {
    this.#wills.forget(deviceId);
    for (const { session } of this.#clients.ofDevice(deviceId)) this.#end(session.key);
    for (const { key } of [...(this.#store()?.inSpace(deviceId) ?? [])]) this.#end(key);
  }

  application(applicationId: string): void {
    const prefix = `app~${applicationId}~`;
    for (const key of [...this.#clients.keys()]) if (key.startsWith(prefix)) this.#end(key);
    for (const { key } of this.#store()?.all() ?? []) if (key.startsWith(prefix)) this.#end(key);
  }

  /** Ends the connections and sessions of all applications of a tenant. */
  applicationsOf(tenantId: TenantId): void {
    const sessions = [...this.#clients.all()].map(({ session }) => session);
    for (const { key, space, owner } of [...sessions, ...(this.#store()?.all() ?? [])])
      if (owner.tenantId === tenantId && isApplicationSpace(space)) this.#end(key);
  }

  #end(key: string): void {
    const client = this.#clients.get(key);
    client?.dropWill();
    client?.connection.end(Reason.notAuthorized);
    this.#wills.forget(key); // the will of an earlier connection
    const store = this.#store();
    const session = store?.get(key);
    if (session !== undefined) store?.delete(session);
  }
}
