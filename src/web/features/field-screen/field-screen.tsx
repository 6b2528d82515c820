import { Network, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { ConnectionDialog } from "./connection-dialog.tsx";
import { ConnectionPage } from "./connection-page.tsx";
import { addressOf, ConnectionStateText } from "./connection-state.tsx";
import { type ModbusConnection, modbusApi } from "./modbus-api.ts";
import { UnitPage } from "./unit-page.tsx";

const REFRESH_MS = 5_000;

/** Modbus connections: all of them, one with its units, or a unit. */
export function ModbusScreen() {
  const { connectionId, modbusUnitId } = useRoute().params;
  return (
    <Page>
      {connectionId && modbusUnitId && (
        <UnitPage
          key={modbusUnitId}
          connectionId={connectionId}
          modbusUnitId={modbusUnitId === "new" ? undefined : modbusUnitId}
        />
      )}
      {connectionId && !modbusUnitId && <ConnectionPage key={connectionId} connectionId={connectionId} />}
      {!connectionId && <ConnectionList />}
    </Page>
  );
}

function ConnectionList() {
  const { query, route } = useLocation();
  const search = query.search ?? "";
  const [isCreating, setCreating] = useState(query.create !== undefined && may("integrations:write"));
  const list = useKept(() => modbusApi.list(search), [search]);
  useRefresh(list.reload, REFRESH_MS);
  return (
    <>
      <ResourceList
        title={t("nav.modbus")}
        intro={t("modbus.intro")}
        list={list}
        search={search}
        searchLabel={t("modbus.search")}
        countText={(total) => plural("modbus.count", total)}
        icon={Network}
        none={[t("modbus.none"), t("modbus.noneHint")]}
        noMatch={[t("modbus.noMatch"), t("common.tryFewerLetters")]}
        create={
          may("integrations:write") && (
            <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
              {t("modbus.create")}
            </Button>
          )
        }
      >
        {(connection) => <Row key={connection.connectionId} connection={connection} />}
      </ResourceList>
      {isCreating && (
        <ConnectionDialog
          onClose={() => setCreating(false)}
          onSaved={({ connectionId, name }) => {
            toast("success", t("modbus.created", { name }));
            route(`/modbus/${connectionId}`);
          }}
        />
      )}
    </>
  );
}

function Row({ connection }: { connection: ModbusConnection }) {
  const { connectionId, name, framing, units, state } = connection;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="modbus-connection">
      <div class="min-w-0 flex-[2_1_14rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/modbus/${connectionId}`}>
          {name}
        </a>
        <p class="text-sm text-soft wrap-anywhere">
          <span class="reading">{addressOf(connection)}</span> ·{" "}
          {t(`fieldOption.modbusConnection.framing.${framing}`)}
        </p>
      </div>
      <div class="min-w-0 flex-[2_1_14rem]">
        <ConnectionStateText state={state} />
        {state.problem && <p class="text-sm text-warning wrap-anywhere">{serverText(state.problem)}</p>}
      </div>
      <p class="flex-[0_1_6rem] text-sm text-soft">{plural("modbus.units", units)}</p>
    </li>
  );
}
