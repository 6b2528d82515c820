import { Pencil, Plus, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../platform/api-client.ts";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Resource } from "../../platform/resource.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Section } from "../../ui/section.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { ConnectionDialog } from "./connection-dialog.tsx";
import { addressOf, ConnectionStateText, NextAttempt, Problem } from "./connection-state.tsx";
import { type ModbusConnection, type ModbusUnit, modbusApi } from "./modbus-api.ts";
import { RegisterBrowser } from "./register-browser.tsx";
import { UnitCard } from "./unit-card.tsx";

const REFRESH_MS = 2_000;

/** A connection with its state, its units and a browser for its registers. */
export function ConnectionPage({ connectionId }: { connectionId: string }) {
  const resource = useResource(() => modbusApi.get(connectionId), [connectionId]);
  const units = useResource(() => modbusApi.units(connectionId), [connectionId]);
  const reload = () => {
    resource.reload();
    if (!isForbidden(units.error)) units.reload();
  };
  useRefresh(reload, REFRESH_MS);
  const mayChange = may("integrations:write");
  return (
    <div class="flex max-w-5xl flex-col gap-5">
      <ResourcePage
        of={resource}
        back={{ href: "/modbus", text: t("nav.modbus") }}
        title={({ name }) => name}
        actions={(connection) =>
          mayChange && units.data && <Actions connection={connection} onSaved={resource.set} />
        }
      >
        {(connection) => (
          <>
            <StatePanel connection={connection} />
            <ThingFaults kind="modbus_connection" id={connectionId} />
            <Units
              connectionId={connectionId}
              isOpen={connection.state.status === "connected"}
              units={units}
              onChanged={reload}
            />
            {units.data && mayChange && <RegisterBrowser connection={connection} units={units.data} />}
          </>
        )}
      </ResourcePage>
    </div>
  );
}

const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

function Actions(props: { connection: ModbusConnection; onSaved: (connection: ModbusConnection) => void }) {
  const { connection, onSaved } = props;
  const { connectionId, name } = connection;
  const { route } = useLocation();
  const [isEditing, setEditing] = useState(false);
  const close = () => setEditing(false);
  const askToDelete = () =>
    confirmDelete({
      name,
      title: t("modbus.deleteTitle"),
      warning: t("modbus.deleteWarning", { name }),
      onDelete: () => modbusApi.delete(connectionId),
      onDeleted: () => route("/modbus"),
    });
  return (
    <>
      <Button icon={Pencil} onClick={() => setEditing(true)}>
        {t("common.edit")}
      </Button>
      <Button icon={Trash2} class="btn btn-ghost btn-sm text-error" onClick={askToDelete}>
        {t("common.delete")}
      </Button>
      {isEditing && (
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
  units: Resource<readonly ModbusUnit[]>;
  onChanged: () => void;
}) {
  const { connectionId, units } = props;
  const newUnit = may("integrations:write") && (
    <a class="btn btn-primary btn-sm self-start" href={`/modbus/${connectionId}/new`}>
      <Plus size={16} aria-hidden="true" />
      {t("modbus.addUnit")}
    </a>
  );
  return (
    <Section id="modbus-units" title={t("modbus.unitsTitle")} hint={t("modbus.unitsHint")}>
      {isForbidden(units.error) ? (
        <p role="status">{codeText("modbus.all_devices_needed")}</p>
      ) : (
        <Loaded of={units}>
          {(rows) => (
            <>
              {rows.length === 0 ? (
                <p class="text-soft">{t("modbus.noUnits")}</p>
              ) : (
                <ul class="divide-y divide-base-300/60" aria-label={t("modbus.unitsTitle")}>
                  {rows.map((unit) => (
                    <UnitCard
                      key={unit.modbusUnitId}
                      unit={unit}
                      isOpen={props.isOpen}
                      onDeleted={props.onChanged}
                    />
                  ))}
                </ul>
              )}
              {newUnit}
            </>
          )}
        </Loaded>
      )}
    </Section>
  );
}
