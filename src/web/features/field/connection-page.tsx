import { Pencil, Plus, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../platform/api-client.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Resource } from "../../platform/resource.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { ResourcePage } from "../../ui/page/resource-page.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Age } from "../../ui/state/age.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import type { ConnectionFormProps } from "./connection-form.tsx";
import { ConnectionStateText, NextAttempt, Problem } from "./connection-state.tsx";
import type { FieldKind, fieldApi } from "./field-api.ts";
import { type MapSource, sourceIcons, sourceTexts } from "./map-dialogs.tsx";

const REFRESH_MS = 2_000;

/** Parts of the page of a connection for a protocol. */
export interface ConnectionView<Kind extends FieldKind> {
  readonly api: Pick<ReturnType<typeof fieldApi<Kind>>, "get" | "units" | "delete">;
  /** Path of its pages. */
  readonly path: "/modbus" | "/s7" | "/bacnet" | "/opcua";
  readonly faults: "modbus_connection" | "s7_connection" | "bacnet_connection" | "opcua_connection";
  /** Usual start of a unit. */
  readonly source: MapSource;
  /** Explanation of units. */
  readonly unitsHint: string;
  /** Text for users who may not see units. */
  readonly forbidden: string;
  /** Address and settings on one line. */
  readonly Settings: (props: { connection: Kind["connection"] }) => ComponentChildren;
  readonly Form: (props: ConnectionFormProps<Kind["connection"]>) => ComponentChildren;
  readonly Unit: (props: { unit: Kind["unit"]; isOpen: boolean; onDeleted: () => void }) => ComponentChildren;
  /** Reads values before they become entries of a unit. */
  readonly Browser?: (props: {
    connection: Kind["connection"];
    units: readonly Kind["unit"][];
  }) => ComponentChildren;
}

/** A connection with its state, its units and a browser for its values. */
export function ConnectionPage<Kind extends FieldKind>(props: {
  connectionId: string;
  view: ConnectionView<Kind>;
}) {
  const { connectionId, view } = props;
  const { api, Browser } = view;
  const resource = useResource(() => api.get(connectionId), [connectionId]);
  const units = useResource<readonly Kind["unit"][]>(() => api.units(connectionId), [connectionId]);
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
        back={{ href: "/field", text: t("nav.field") }}
        title={({ name }) => name}
        actions={(connection) =>
          mayChange && units.data && <Actions view={view} connection={connection} onSaved={resource.set} />
        }
      >
        {(connection) => (
          <>
            <StatePanel view={view} connection={connection} />
            <Units
              view={view}
              connectionId={connectionId}
              isOpen={connection.state.status === "connected"}
              units={units}
              onChanged={reload}
            />
            <ThingFaults kind={view.faults} id={connectionId} />
            {units.data && mayChange && Browser && <Browser connection={connection} units={units.data} />}
          </>
        )}
      </ResourcePage>
    </div>
  );
}

const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

function Actions<Kind extends FieldKind>(props: {
  view: ConnectionView<Kind>;
  connection: Kind["connection"];
  onSaved: (connection: Kind["connection"]) => void;
}) {
  const { connection, onSaved } = props;
  const { api, Form } = props.view;
  const { connectionId, name } = connection;
  const { route } = useLocation();
  const [isEditing, setEditing] = useState(false);
  const close = () => setEditing(false);
  const askToDelete = () =>
    confirmDelete({
      name,
      title: t("fieldConnection.deleteTitle"),
      warning: t("fieldConnection.deleteWarning", { name }),
      onDelete: () => api.delete(connectionId),
      onDeleted: () => route("/field"),
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
        <Dialog title={t("common.editName", { name })} onClose={close}>
          <Form
            connection={connection}
            onClose={close}
            onSaved={(saved) => {
              toast("success", t("common.nameIsSaved", { name: saved.name }));
              onSaved(saved);
              close();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function StatePanel<Kind extends FieldKind>(props: {
  view: ConnectionView<Kind>;
  connection: Kind["connection"];
}) {
  const { connection, view } = props;
  const { state } = connection;
  return (
    <section
      class="panel flex flex-col gap-3 p-4 sm:p-5"
      aria-label={t("fieldConnection.state")}
      data-testid="state"
    >
      <div class="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold" role="status">
        <ConnectionStateText state={state} />
        <span class="text-sm font-normal text-soft">
          <Age ts={toMs(state.since)} />
        </span>
      </div>
      <p class="text-sm text-soft wrap-anywhere">
        <view.Settings connection={connection} />
      </p>
      {state.problem && <Problem problem={state.problem} />}
      <NextAttempt state={state} />
    </section>
  );
}

function Units<Kind extends FieldKind>(props: {
  view: ConnectionView<Kind>;
  connectionId: string;
  isOpen: boolean;
  units: Resource<readonly Kind["unit"][]>;
  onChanged: () => void;
}) {
  const { view, connectionId, units } = props;
  const Icon = sourceIcons[view.source];
  const newUnit = may("integrations:write") && (
    <div class="flex flex-wrap gap-2">
      <a class="btn btn-primary btn-sm" href={`${view.path}/${connectionId}/new?map=${view.source}`}>
        <Icon size={16} aria-hidden="true" />
        {t(sourceTexts[view.source])}
      </a>
      <a class="btn btn-sm" href={`${view.path}/${connectionId}/new`}>
        <Plus size={16} aria-hidden="true" />
        {t("fieldConnection.addUnit")}
      </a>
    </div>
  );
  return (
    <Section id="field-units" title={t("fieldConnection.unitsTitle")} hint={view.unitsHint}>
      {isForbidden(units.error) ? (
        <p role="status">{view.forbidden}</p>
      ) : (
        <Loaded of={units}>
          {(rows) => (
            <>
              {rows.length === 0 ? (
                <p class="text-soft">{t("fieldConnection.noUnits")}</p>
              ) : (
                <ul class="divide-y divide-base-300/60" aria-label={t("fieldConnection.unitsTitle")}>
                  {rows.map((unit) => (
                    <view.Unit
                      key={unit.deviceId}
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
