import { Network, Plus } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import type { FormValues } from "../../lib/form-schema.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Radio } from "../../ui/form/choice.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { bacnetApi } from "../bacnet/bacnet-api.ts";
import { BacnetForm } from "../bacnet/bacnet-form.tsx";
import { BacnetPages } from "../bacnet/bacnet-pages.tsx";
import { addressText, ConnectionStateText } from "../field/connection-state.tsx";
import type { FieldConnection } from "../field/field-api.ts";
import { isSerial } from "../modbus/connection-form.ts";
import { modbusApi } from "../modbus/modbus-api.ts";
import { ModbusForm } from "../modbus/modbus-form.tsx";
import { ModbusPages } from "../modbus/modbus-pages.tsx";
import { addressOf } from "../modbus/modbus-texts.ts";
import { opcuaApi } from "../opcua/opcua-api.ts";
import { OpcUaForm } from "../opcua/opcua-form.tsx";
import { OpcUaPages } from "../opcua/opcua-pages.tsx";
import { s7Api } from "../s7/s7-api.ts";
import { S7Form } from "../s7/s7-form.tsx";
import { S7Pages } from "../s7/s7-pages.tsx";

const REFRESH_MS = 5_000;

const PROTOCOLS = ["modbus", "opcua", "s7", "bacnet"] as const;
type Protocol = (typeof PROTOCOLS)[number];

interface Listed {
  readonly protocol: Protocol;
  readonly address: string;
  readonly connection: FieldConnection;
}

const pages = { modbus: ModbusPages, opcua: OpcUaPages, s7: S7Pages, bacnet: BacnetPages } as const;
const forms = { modbus: ModbusForm, opcua: OpcUaForm, s7: S7Form, bacnet: BacnetForm } as const;

/** Connections to field devices by all protocols: the list, one connection with its units, or a unit. */
export function FieldScreen() {
  const { path } = useLocation();
  const { connectionId, unitId } = useRoute().params;
  if (!connectionId)
    return (
      <Page>
        <ConnectionList />
      </Page>
    );
  const Pages = pages[PROTOCOLS.find((name) => path.startsWith(`/${name}/`)) ?? "modbus"];
  return (
    <Page>
      <Pages connectionId={connectionId} unitId={unitId} />
    </Page>
  );
}

/** Returns a list of connections with their protocol and addresses. */
const listOf =
  <Connection extends FieldConnection>(
    protocol: Protocol,
    api: { list: (search: string) => Promise<{ rows: readonly Connection[]; total: number }> },
    address: (connection: Connection) => string,
  ) =>
  async (search: string) => {
    const { rows, total } = await api.list(search);
    return {
      rows: rows.map((connection): Listed => ({ protocol, address: address(connection), connection })),
      total,
    };
  };

const listModbus = listOf("modbus", modbusApi, addressOf);
const listS7 = listOf("s7", s7Api, addressText);
const listBacnet = listOf("bacnet", bacnetApi, addressText);
const listOpcUa = listOf("opcua", opcuaApi, (connection) => `${addressText(connection)}${connection.path}`);

/** Joins the lists of the protocols. An error of one does not affect the others. */
function useConnections(search: string) {
  const lists = [
    useKept(() => listModbus(search), [search]),
    useKept(() => listS7(search), [search]),
    useKept(() => listBacnet(search), [search]),
    useKept(() => listOpcUa(search), [search]),
  ];
  const error = lists.find((list) => list.error !== undefined)?.error;
  const isComplete = lists.every(({ data }) => data !== undefined);
  const loaded = lists.flatMap(({ data }) => data ?? []);
  const rows = loaded.flatMap((list) => list.rows);
  const total = loaded.reduce((sum, list) => sum + list.total, 0);
  // Nothing is said of connections that are not known.
  const isShown = isComplete || (error !== undefined && rows.length > 0);
  return {
    data: isShown
      ? { rows: rows.toSorted((a, b) => a.connection.name.localeCompare(b.connection.name)), total }
      : undefined,
    error,
    loading: lists.some(({ loading }) => loading),
    reload: () => {
      for (const { reload } of lists) reload();
    },
  };
}

function ConnectionList() {
  const { query, route } = useLocation();
  const search = query.search ?? "";
  const [isCreating, setCreating] = useState(query.create !== undefined && may("integrations:write"));
  const list = useConnections(search);
  useRefresh(list.reload, REFRESH_MS);
  return (
    <>
      <ResourceList
        title={t("nav.field")}
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
              {t("fieldConnection.create")}
            </Button>
          )
        }
      >
        {(listed) => <Row key={listed.connection.connectionId} {...listed} />}
      </ResourceList>
      {isCreating && (
        <CreateDialog
          first={PROTOCOLS.find((name) => name === query.create) ?? "modbus"}
          onClose={() => setCreating(false)}
          onCreated={(protocol, { connectionId, name }) => {
            toast("success", t("modbus.created", { name }));
            route(`/${protocol}/${connectionId}`);
          }}
        />
      )}
    </>
  );
}

const newDraft = (): { current: FormValues } => ({ current: {} });

/** Returns the values with name and address from the form of another protocol. A serial port is not an address. */
function withShared(values: FormValues, { name, host, ...others }: FormValues): FormValues {
  const isAddress = host !== undefined && !isSerial(others) && !isSerial(values);
  return { ...values, ...(name !== undefined && { name }), ...(isAddress && { host }) };
}

function CreateDialog(props: {
  first: Protocol;
  onClose: () => void;
  onCreated: (protocol: Protocol, connection: FieldConnection) => void;
}) {
  const [protocol, setProtocol] = useState(props.first);
  const drafts = useRef({
    modbus: newDraft(),
    opcua: newDraft(),
    s7: newDraft(),
    bacnet: newDraft(),
  }).current;
  const change = (next: Protocol) => {
    drafts[next].current = withShared(drafts[next].current, drafts[protocol].current);
    setProtocol(next);
  };
  const Form = forms[protocol];
  return (
    <Dialog title={t("fieldConnection.create")} onClose={props.onClose}>
      <fieldset class="mb-4 flex flex-wrap gap-x-6 gap-y-2">
        <legend class="mb-2 text-sm font-medium">{t("modbus.protocol")}</legend>
        {PROTOCOLS.map((name) => (
          <Radio key={name} name="protocol" checked={protocol === name} onChange={() => change(name)}>
            {t(`direct.${name}`)}
          </Radio>
        ))}
      </fieldset>
      <Form
        key={protocol}
        draft={drafts[protocol]}
        onClose={props.onClose}
        onSaved={(saved: FieldConnection) => props.onCreated(protocol, saved)}
      />
    </Dialog>
  );
}

function Row({ protocol, address, connection }: Listed) {
  const { connectionId, name, units, state } = connection;
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="field-connection">
      <div class="min-w-0 flex-[2_1_14rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/${protocol}/${connectionId}`}>
          {name}
        </a>
        <p class="text-sm text-soft wrap-anywhere">
          <span class="reading">{address}</span> · {t(`direct.${protocol}`)}
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
