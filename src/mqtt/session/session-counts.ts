import type { SessionOwner } from "./session.ts";

/** Counts connections or sessions by tenant and by credential. */
export class SessionCounts {
  readonly #tenants = new Map<string, number>();
  readonly #credentials = new Map<string, number>();

  add({ tenantId, credentialId }: SessionOwner): void {
    change(this.#tenants, tenantId, 1);
    change(this.#credentials, credentialId, 1);
  }

  remove({ tenantId, credentialId }: SessionOwner): void {
    change(this.#tenants, tenantId, -1);
    change(this.#credentials, credentialId, -1);
  }

  ofTenant(tenantId: string): number {
    return this.#tenants.get(tenantId) ?? 0;
  }

  credentials(): readonly string[] {
    return [...this.#credentials.keys()];
  }

  ofCredential(credentialId: string): number {
    return this.#credentials.get(credentialId) ?? 0;
  }
}

function change(counts: Map<string, number>, id: string, by: number): void {
  const left = (counts.get(id) ?? 0) + by;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
}
