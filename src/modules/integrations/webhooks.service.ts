import { DomainError, limited, textOf } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { AttemptLimit } from "../../lib/data/attempt-limit.ts";
import { addressGroup } from "../../lib/network/network-address.ts";
import { secretHint, shownName } from "../../lib/strings/secret-hint.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { type TaskOwner, workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { WebhookSecretsService } from "../connectivity/webhook-secrets.service.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Refusal } from "../faults/refusals.types.ts";
import { refusalReporter } from "../report-refusal.ts";
import type { Peer } from "../request-peer.ts";
import type { MessageRateService } from "../tenants/message-rate.service.ts";
import { bytesLimit, messagesLimit } from "../tenants/tenants.errors.ts";
import type { InboundPipeline, Taken } from "./inbound-pipeline.ts";
import {
  integrationNotFound,
  nothingIn,
  notRunning,
  secretRequired,
  tenantMissing,
} from "./integrations.errors.ts";
import type { Integration } from "./integrations.resource.ts";
import type { IntegrationsService } from "./integrations.service.ts";
import type { InboundMessage } from "./integrations.types.ts";
import { typeOfKind, type WebhookKind } from "./integrations.wire.ts";

/** Wrong secrets from one address: enough for somebody who looks for a mistake. */
const WRONG = { perSecond: 0.5, burst: 30 };

/** Larger bodies without a secret are read only while their address has not failed too often. Messages with a token are short. */
const STRANGER_BYTES_MAX = 16 * 1024;

export interface WebhookRequest {
  readonly kind: WebhookKind;
  /** The integration, if the address names one. */
  readonly integrationId?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly secret?: string | undefined;
  /** A device's own token, out of the body: as good as the secret, for that device. */
  readonly deviceToken?: string | undefined;
  readonly peer: Peer;
  readonly message: InboundMessage;
}

function describeRefusal(
  { peer, secret, deviceToken }: WebhookRequest,
  tenantId: TenantId,
  isLimited: boolean,
): Refusal {
  if (secret === undefined && deviceToken !== undefined) {
    const reason = isLimited ? "too_many_tries" : "token_wrong";
    return { edge: "webhook", reason, ...peer, identity: { kind: "token", name: secretHint(deviceToken) } };
  }
  const cause = secret === undefined ? "credential_missing" : "secret_wrong";
  const identity = { kind: "tenant", name: shownName(tenantId) } as const;
  return { edge: "webhook", reason: isLimited ? "too_many_tries" : cause, ...peer, identity };
}

/** Owner of the bodies whose senders are not known yet. */
const STRANGERS: TaskOwner = { tenantId: "", userId: "" };

/** Messages that other programs post. */
export function createWebhooksService(deps: {
  integrations: Pick<IntegrationsService, "find" | "liveOf" | "ensureDefault">;
  pipeline: Pick<InboundPipeline, "take">;
  secrets: Pick<WebhookSecretsService, "isValid" | "status">;
  directory: Pick<DeviceDirectory, "findByToken">;
  /** Meters of what the devices and integrations of a tenant send. */
  metersOf: MessageRateService["metersOf"];
  clock: Pick<Clock, "monotonic">;
  events: Pick<EventBus<DomainEvents>, "emit">;
}) {
  const { integrations } = deps;
  const wrong = new AttemptLimit(WRONG);
  const report = refusalReporter(deps.events);

  function refuse(request: WebhookRequest, tenantId: TenantId): never {
    const waitMs = wrong.take(request.peer.address, deps.clock.monotonic());
    // A tenant without a secret may be one that does not exist.
    const hasSecret = deps.secrets.status(tenantId).hasSecret;
    report({ ...describeRefusal(request, tenantId, waitMs > 0), tenantId: hasSecret ? tenantId : undefined });
    ensureWithinLimit(waitMs);
    throw secretRequired();
  }

  /** @throws DomainError `limited` */
  function ensureWithinLimit(waitMs: number): void {
    if (waitMs > 0) throw limited("webhook.limited", Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** The tenant that a request is for: the one of the integration that its address names, or the one that it says. */
  function tenantOf(
    { tenantId, secret, deviceToken, peer }: WebhookRequest,
    named: Integration | undefined,
  ): TenantId {
    const ofToken = deviceToken === undefined ? undefined : deps.directory.findByToken(deviceToken)?.tenantId;
    // A token says the tenant before the address does: its holder must not learn which integrations others have.
    const wanted = tenantId ?? (secret === undefined ? ofToken : undefined) ?? named?.tenantId;
    if (wanted === undefined) {
      ensureWithinLimit(wrong.take(peer.address, deps.clock.monotonic()));
      throw tenantMissing();
    }
    return wanted as TenantId; // nobody is allowed anything of one that does not exist
  }

  function isAllowed(tenantId: TenantId, { secret, deviceToken }: WebhookRequest): boolean {
    if (secret !== undefined) return deps.secrets.isValid(tenantId, secret);
    return deviceToken !== undefined && deps.directory.findByToken(deviceToken)?.tenantId === tenantId;
  }

  const isOfDevice = ({ deviceToken }: WebhookRequest): boolean =>
    deviceToken !== undefined && deps.directory.findByToken(deviceToken) !== undefined;

  /** The one that a request is for, once it is known that the sender may. */
  function integrationFor(request: WebhookRequest): Integration {
    const { kind, integrationId } = request;
    const named =
      integrationId === undefined
        ? undefined
        : (integrations.liveOf(integrationId)?.integration ?? integrations.find(integrationId));
    // A stranger must not learn which integrations exist.
    if (
      integrationId !== undefined &&
      named === undefined &&
      request.tenantId === undefined &&
      !isOfDevice(request)
    )
      return refuse(request, "" as TenantId);
    const tenantId = tenantOf(request, named);
    if (!isAllowed(tenantId, request)) refuse(request, tenantId);
    if (integrationId === undefined) return integrations.ensureDefault(tenantId, typeOfKind(kind));
    if (named?.tenantId !== tenantId || named.type !== typeOfKind(kind)) throw integrationNotFound();
    return named;
  }

  /** Checks the rates of the tenant's plan. Lists a refused message as a fault of its integration. @throws DomainError `limited` */
  function ensureRate({ tenantId, integrationId, name }: Integration): void {
    const { messages, bytes } = deps.metersOf(tenantId);
    const now = deps.clock.monotonic();
    try {
      messages.ensure(now, 0, messagesLimit);
      bytes.ensure(now, 0, bytesLimit);
    } catch (error) {
      const subject = { kind: "integration", id: integrationId, name } as const;
      if (error instanceof DomainError)
        deps.events.emit("fault.occurred", { ...textOf(error), source: "integration", tenantId, subject });
      throw error;
    }
  }

  /** Counts a message of which nothing was stored: it has cost as much as one that was, which ingest counts. */
  function countUnstored(tenantId: TenantId, length: number): void {
    const { messages, bytes } = deps.metersOf(tenantId);
    messages.spend(deps.clock.monotonic(), 1);
    bytes.spend(deps.clock.monotonic(), length);
  }

  return {
    /** Owner of the space for a body that is not read yet: the tenant whose secret comes with it, if one does. All others share the space of one sender. */
    spaceOwner({
      tenantId,
      integrationId,
      secret,
    }: Pick<WebhookRequest, "tenantId" | "integrationId" | "secret">): TaskOwner {
      if (secret === undefined) return STRANGERS;
      const named = integrationId === undefined ? undefined : integrations.liveOf(integrationId);
      const wanted = (tenantId ?? named?.integration.tenantId ?? "") as TenantId; // nothing is right for one that does not exist
      return deps.secrets.isValid(wanted, secret)
        ? { tenantId: wanted, userId: integrationId ?? wanted }
        : STRANGERS;
    },
    /**
     * Reads the sender from an unauthenticated request body. Addresses take turns; a body that cannot be read counts as a wrong secret.
     * @throws DomainError of kind `limited` for too many of them
     */
    async readSender<Sender>({ address }: Peer, bytes: Uint8Array, read: () => Sender): Promise<Sender> {
      const { clock } = deps;
      if (bytes.length > STRANGER_BYTES_MAX) ensureWithinLimit(wrong.waitMs(address, clock.monotonic()));
      await workShare.enter({ tenantId: "", userId: addressGroup(address) });
      try {
        return read();
      } catch (error) {
        ensureWithinLimit(wrong.take(address, clock.monotonic()));
        throw error;
      }
    },
    /** @throws DomainError of kind `invalid` for a wrong secret, tenant or message; `limited` for too many of them. */
    async take(request: WebhookRequest): Promise<Taken> {
      const integration = integrationFor(request);
      const live = integrations.liveOf(integration.integrationId);
      if (live === undefined) throw notRunning();
      ensureRate(integration);
      const taken = await deps.pipeline.take(live, request.message);
      if (taken.status === "ERROR" || taken.status === "DROPPED")
        countUnstored(integration.tenantId, request.message.bytes.length);
      // What the sender can mend it is told; what failed in our own mapping or script is kept here, and worked on again here.
      const isSenders = taken.stage === "adapter" || taken.stage === "resolution" || taken.stage === "ingest";
      if (taken.status === "ERROR" && isSenders && taken.reason !== undefined) throw taken.reason;
      // A network server says much that carries no values; whoever posts by hand has made a mistake.
      const isNetwork = live.settings.paths?.frame !== undefined;
      if (request.kind === "generic" && !isNetwork && taken.status === "DROPPED" && taken.stage === "adapter")
        throw nothingIn(taken.text);
      return taken;
    },
  };
}

export type WebhooksService = ReturnType<typeof createWebhooksService>;
