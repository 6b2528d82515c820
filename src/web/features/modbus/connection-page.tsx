import { Pencil, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../platform/api-client.ts";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { NotFoundScreen } from "../../ui/not-found.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Section } from "../../ui/section.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { ConnectionDialog } from "./connection-dialog.tsx";
import { addressOf, ConnectionStateText, NextAttempt, Problem } from "./connection-state.tsx";
import { type ModbusConnection, type ModbusUnit, modbusApi } from "./modbus-api.ts";
import { RegisterBrowser } from "./register-browser.tsx";
import { UnitCard } from "./unit-card.tsx";
import { useRefresh } from "./use-refresh.ts";

const REFRESH_MS = 2_000;

/** A connection with its state, its units and a browser for its registers. */
export function ConnectionPage({ connectionId }: { connectionId: string }) {
  const resource = useResource(() => modbusApi.get(connectionId), [connectionId]);
  const unitList = useResource(() => modbusApi.units(connectionId), [connectionId]);
  const connection = useKept(resource);
  const units = useKept(unitList);
  const reload = () => {
    resource.reload();
    if (!isForbidden(unitList.error)) unitList.reload();
  };
  useRefresh(reload, REFRESH_MS, [connectionId, isForbidden(unitList.error)]);
  const { error } = resource;
  if (error instanceof ApiError && error.status === 404) return <NotFoundScreen />;
  const mayChange = may("integrations:write") && units !== undefined;
  return (
    <div class="flex max-w-5xl flex-col gap-5">
      <BackLink href="/modbus">{t("nav.modbus")}</BackLink>
      <PageHead title={connection?.name ?? "…"}>
        {connection && mayChange && <Actions connection={connection} onSaved={resource.set} />}
      </PageHead>
      <ErrorNote error={error} onRetry={resource.reload} />
      {connection && <StatePanel connection={connection} />}
      <ThingFaults kind="modbus_connection" id={connectionId} />
      <Units
        connectionId={connectionId}
        isOpen={connection?.state.status === "connected"}
        units={units}
        error={unitList.error}
        onChanged={reload}
      />
      {connection && units && may("integrations:write") && (
        <RegisterBrowser connection={connection} units={units} />
      )}
    </div>
  );
}

const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

function Actions(props: { connection: ModbusConnection; onSaved: (connection: ModbusConnection) => void }) {
  const { connection, onSaved } = props;
  const { connectionId, name } = connection;
  const { route } = useLocation();
  const [question, setQuestion] = useState<"edit" | "delete" | undefined>(undefined);
  const close = () => setQuestion(undefined);
  return (
    <>
      <Button icon={Pencil} onClick={() => setQuestion("edit")}>
        {t("common.edit")}
      </Button>
      <Button icon={Trash2} class="btn btn-ghost btn-sm text-error" onClick={() => setQuestion("delete")}>
        {t("common.delete")}
      </Button>
      {question === "edit" && (
        <ConnectionDialog
          connection={connection}
          onClose={close}
          onSaved={(saved) => {
            toast("success", t("common.nameIsSaved", { name: saved.name }));
            onSaved(saved);
            close();
          }}
        />
      )}
      {question === "delete" && (
        <ConfirmDialog
          title={t("modbus.deleteTitle")}
          warning={t("modbus.deleteWarning", { name })}
          onCancel={close}
          onConfirm={async () => {
            await modbusApi.delete(connectionId);
            toast("success", t("common.nameIsDeleted", { name }));
            route("/modbus");
          }}
        />
      )}
    </>
  );
}

function StatePanel({ connection }: { connection: ModbusConnection }) {
  const { framing, state, timeoutMs, pauseMs } = connection;
  return (
    <section class="panel flex flex-col gap-3 p-4 sm:p-5" aria-label={t("modbus.state")} data-testid="state">
      <div class="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold" role="status">
        <ConnectionStateText state={state} />
        <span class="text-sm font-normal text-soft">
          <Age ts={toMs(state.since)} />
        </span>
      </div>
      <p class="text-sm text-soft wrap-anywhere">
        <span class="reading">{addressOf(connection)}</span> ·{" "}
        {t(`fieldOption.modbusConnection.framing.${framing}`)} ·{" "}
        {t("modbus.timing", { timeout: timeoutMs, pause: pauseMs })}
      </p>
      {state.problem && <Problem problem={state.problem} />}
      <NextAttempt state={state} />
    </section>
  );
}

function Units(props: {
  connectionId: string;
  isOpen: boolean;
  units: readonly ModbusUnit[] | undefined;
  error: unknown;
  onChanged: () => void;
}) {
  const { connectionId, units, error } = props;
  const newUnit = may("integrations:write") && (
    <a class="btn btn-primary btn-sm self-start" href={`/modbus/${connectionId}/new`}>
      <Plus size={16} aria-hidden="true" />
      {t("modbus.addUnit")}
    </a>
  );
  return (
    <Section id="modbus-units" title={t("modbus.unitsTitle")} hint={t("modbus.unitsHint")}>
      {isForbidden(error) && <p role="status">{codeText("modbus.all_devices_needed")}</p>}
      {error !== undefined && !isForbidden(error) && <ErrorNote error={error} onRetry={props.onChanged} />}
      {units?.length === 0 && <p class="text-soft">{t("modbus.noUnits")}</p>}
      {units && units.length > 0 && (
        <ul class="divide-y divide-base-300/60" aria-label={t("modbus.unitsTitle")}>
          {units.map((unit) => (
            <UnitCard key={unit.modbusUnitId} unit={unit} isOpen={props.isOpen} onDeleted={props.onChanged} />
          ))}
        </ul>
      )}
      {units && newUnit}
    </Section>
  );
}
