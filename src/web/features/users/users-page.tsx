import { Lock, UserPlus, Users } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { usePages } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import type { SettingsPageProps } from "../../ui/page/settings-page.types.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { UserPage } from "./user-page.tsx";
import { usersApi } from "./users-api.ts";
import { ROLES, type User } from "./users-types.ts";

const PAGE_SIZE = 100;
const STATUSES = ["ACTIVE", "DISABLED"] as const;

export function UsersPage({ id }: SettingsPageProps) {
  return id ? <UserPage key={id} userId={id} /> : <UserList />;
}

function UserList() {
  const { filter, set } = useUrlFilter(["search", "role", "status"]);
  const wantsInvite = useLocation().query.invite !== undefined;
  const [inviting, setInviting] = useState(false);
  useEffect(() => {
    if (wantsInvite && may("users:write")) setInviting(true);
  }, [wantsInvite]);
  const list = usePages((limit) => usersApi.list({ ...filter, limit, offset: 0 }), [filter], PAGE_SIZE);
  return (
    <>
      <ResourceList
        title={t("page.users")}
        isWithin
        list={list}
        filters={
          <>
            <SearchBox
              label={t("users.search")}
              value={filter.search}
              onSearch={(search) => set({ search })}
            />
            <FilterSelect
              label={t("common.role")}
              all={t("common.allRoles")}
              value={filter.role}
              options={ROLES.map((id) => ({ id, text: t(`role.${id}`) }))}
              onSelect={(role) => set({ role })}
            />
            <FilterSelect
              label={t("common.status")}
              all={t("users.allStatuses")}
              value={filter.status}
              options={STATUSES.map((id) => ({ id, text: t(`status.${id}`) }))}
              onSelect={(status) => set({ status })}
            />
          </>
        }
        countText={(total) => plural("users.count", total)}
        icon={Users}
        none={[t("users.noMatch"), t("users.noMatchHint")]}
        emptyAction={
          <button type="button" class="btn" onClick={() => set({ search: "", role: "", status: "" })}>
            {t("users.clearFilter")}
          </button>
        }
        create={
          may("users:write") && (
            <Button icon={UserPlus} class="btn btn-primary btn-sm" onClick={() => setInviting(true)}>
              {t("users.invite")}
            </Button>
          )
        }
        table={(users) => <UserTable users={users} />}
      />
      {inviting && (
        <InviteDialog
          onClose={(created) => {
            setInviting(false);
            if (wantsInvite) set({});
            if (created) list.reload();
          }}
        />
      )}
    </>
  );
}

function UserTable({ users }: { users: readonly User[] }) {
  return (
    <div class="panel overflow-x-auto">
      <table class="w-full text-left">
        <thead>
          <tr class="border-b border-base-300">
            <th class="panel-label px-4 py-2.5">{t("common.name")}</th>
            <th class="panel-label px-4 py-2.5">{t("common.role")}</th>
            <th class="panel-label hidden px-4 py-2.5 sm:table-cell">{t("common.access")}</th>
            <th class="panel-label hidden px-4 py-2.5 sm:table-cell">{t("common.status")}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.userId} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UserRow({ user }: { user: User }) {
  const { userId, fullName, email, role, status, isProtected } = user;
  return (
    <tr class="border-b border-base-300/60 last:border-0 hover:bg-base-200">
      <td class="max-w-0 px-4 py-2.5 w-1/2">
        <a href={`/settings/users/${userId}`} class="block truncate font-medium hover:underline">
          {fullName || email}
          {userId === me.value?.userId && <span class="font-normal text-soft"> ({t("users.you")})</span>}
        </a>
        <span class="block truncate text-sm text-soft">{email}</span>
        {status === "DISABLED" && (
          <span class="block text-sm text-error sm:hidden">{t("status.DISABLED")}</span>
        )}
      </td>
      <td class="px-4 py-2.5">
        <span class="inline-flex items-center gap-2">
          {t(`role.${role}`)}
          {isProtected && (
            <span title={t("user.protected")}>
              <Lock size={14} class="text-soft" aria-hidden="true" />
              <span class="sr-only">{t("user.protected")}</span>
            </span>
          )}
        </span>
      </td>
      <td class="hidden px-4 py-2.5 sm:table-cell">
        {user.hasGlobalDeviceAccess ? t("common.allDevices") : plural("devices.count", user.deviceCount)}
      </td>
      <td class="hidden px-4 py-2.5 sm:table-cell">
        <span class={status === "DISABLED" ? "text-error" : ""}>{t(`status.${status}`)}</span>
      </td>
    </tr>
  );
}
