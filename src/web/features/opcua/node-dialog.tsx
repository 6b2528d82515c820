import { useState } from "preact/hooks";
import { OBJECTS_FOLDER } from "../../../lib/opcua/opcua-node-id.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { AddFound } from "../field/add-found.tsx";
import { rememberMeaning } from "../field/entry-meanings.ts";
import type { MapDialogProps } from "../field/map-dialogs.tsx";
import { itemsOf, meaningOf, type Selected } from "./node-selection.ts";
import { type OpcUaItem, type OpcUaNodes, type OpcUaVariable, opcuaApi } from "./opcua-api.ts";

type Node = OpcUaNodes["nodes"][number];

/** Max. variables per request. */
const DESCRIBED_MAX = 50;

interface Selection {
  readonly chosen: ReadonlyMap<string, Selected>;
  readonly choose: (nodes: readonly Selected[], isChosen: boolean) => void;
  readonly connectionId: string;
}

/** Tree of the nodes of the server, whose variables can be added. */
export function NodeDialog({
  connectionId,
  onAdd,
  onClose,
}: MapDialogProps<OpcUaItem> & { connectionId: string }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Selected>>(new Map());
  const [search, setSearch] = useState("");
  const [keepsMeanings, setKeepsMeanings] = useState(may("profiles:write"));
  const action = useAction();
  const choose = (nodes: readonly Selected[], isChosen: boolean) => {
    const next = new Map(chosen);
    for (const node of nodes)
      if (isChosen) next.set(node.nodeId, node);
      else next.delete(node.nodeId);
    setChosen(next);
  };
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const nodeIds = [...chosen.values()].flatMap(({ nodeId, object }) => (object ? [] : [nodeId]));
      const variables: OpcUaVariable[] = [];
      for (let first = 0; first < nodeIds.length; first += DESCRIBED_MAX)
        variables.push(
          ...(await opcuaApi.describe(connectionId, nodeIds.slice(first, first + DESCRIBED_MAX))),
        );
      if (keepsMeanings)
        for (const variable of variables) rememberMeaning(variable.nodeId, meaningOf(variable));
      onAdd(itemsOf([...chosen.values()], variables));
    });
  };
  return (
    <Dialog title={t("fieldUnit.fromDevice")} onClose={onClose}>
      <input
        type="search"
        class="input mb-3 w-full"
        aria-label={t("opcua.search")}
        placeholder={t("opcua.search")}
        onChange={(e) => setSearch(e.currentTarget.value.trim())}
      />
      <form class="flex flex-col gap-3" onSubmit={submit}>
        <div class="max-h-96 overflow-y-auto">
          <Children selection={{ chosen, choose, connectionId }} node={undefined} search={search} />
        </div>
        <AddFound
          keepsMeanings={keepsMeanings}
          onKeepsMeanings={setKeepsMeanings}
          error={action.error}
          isDisabled={chosen.size === 0 || action.busy}
          text={plural("opcua.add", chosen.size)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** Nodes below a node, by default below the folder `Objects`. */
function Children(props: { selection: Selection; node: Node | undefined; search?: string }) {
  const { selection, node, search = "" } = props;
  const { connectionId, chosen, choose } = selection;
  const body = { ...(node && { nodeId: node.nodeId }), ...(search && { search }) };
  const below = useResource(() => opcuaApi.browse(connectionId, body), [connectionId, node?.nodeId, search]);
  return (
    <Loaded of={below}>
      {({ nodes, isCut }) => {
        const variables = nodes
          .filter(({ kind }) => kind === "VARIABLE")
          .map(({ nodeId, name, parent = node }) => ({ nodeId, name, parent: parent?.name ?? "" }));
        // Standard objects, such as the server object, are in namespace 0.
        const own = nodes.filter(({ kind, nodeId }) => kind === "OBJECT" && /^ns=[1-9]/.test(nodeId));
        return (
          <>
            {variables.length > 1 && (
              <Checkbox
                checked={variables.every(({ nodeId }) => chosen.has(nodeId))}
                onCheck={(isChosen) => choose(variables, isChosen)}
              >
                {plural("opcua.allHere", variables.length)}
              </Checkbox>
            )}
            <ul class="flex flex-col gap-1">
              {nodes.map((child) => (
                <Branch
                  key={child.nodeId}
                  selection={selection}
                  node={child}
                  parent={child.parent ?? node}
                  isOnly={node === undefined && own.length === 1 && own[0] === child}
                />
              ))}
            </ul>
            {nodes.length === 0 && <p class="text-sm text-soft">{t("opcua.nothingBelow")}</p>}
            {isCut && <p class="text-sm text-warning">{t("opcua.cut")}</p>}
          </>
        );
      }}
    </Loaded>
  );
}

function Branch(props: {
  selection: Selection;
  node: Node;
  parent: Pick<Node, "nodeId" | "name"> | undefined;
  isOnly: boolean;
}) {
  const { selection, node, parent } = props;
  const { nodeId, name, kind } = node;
  const [isOpen, setOpen] = useState(props.isOnly);
  if (kind !== "OBJECT") {
    const object = kind === "METHOD" ? { object: parent?.nodeId ?? OBJECTS_FOLDER } : {};
    return (
      <li>
        <Checkbox
          checked={selection.chosen.has(nodeId)}
          onCheck={(isChosen) =>
            selection.choose([{ nodeId, name, parent: parent?.name ?? "", ...object }], isChosen)
          }
          hint={nodeId}
        >
          {name}
          {kind === "METHOD" && "()"}
        </Checkbox>
      </li>
    );
  }
  return (
    <li>
      <details open={isOpen} onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary class="cursor-pointer wrap-anywhere">{name}</summary>
        {/* A server may lead in circles: what is below is read when somebody opens it. */}
        <div class="pl-4">{isOpen && <Children selection={selection} node={node} />}</div>
      </details>
    </li>
  );
}
