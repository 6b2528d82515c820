import type { Qos } from "../../lib/mqtt/packets.ts";
import { readSharedFilter } from "../../lib/mqtt/topic-filters.ts";
import { TopicTree } from "../../lib/mqtt/topic-tree.ts";

interface Member {
  /** Highest QoS of the member. */
  readonly qos: Qos;
  /** Subscribing session or connection. A later subscriber with the same key replaces it. */
  readonly by: object;
}

export interface SharedGroup {
  /** Keyed by session key. */
  readonly members: Map<string, Member>;
  /** Number of messages sent to the group, which selects the next member. */
  turn: number;
}

interface GroupsOfSpace {
  /** Keyed by subscription, `$share/…`. */
  readonly byName: Map<string, SharedGroup>;
  readonly byTopic: TopicTree<string, SharedGroup>;
}

/** Groups of shared subscriptions (MQTT 5, 4.8.2) with their members, found by topic. */
export class SharedGroups {
  readonly #spaces = new Map<string, GroupsOfSpace>();

  /** Adds a member, or changes its QoS. */
  join(space: string, name: string, member: Member & { readonly key: string }): void {
    const filter = readSharedFilter(name)?.filter;
    if (filter === undefined) return;
    const groups = this.#spaces.get(space) ?? { byName: new Map(), byTopic: new TopicTree() };
    this.#spaces.set(space, groups);
    const group = groups.byName.get(name) ?? { members: new Map(), turn: 0 };
    if (!groups.byName.has(name)) groups.byTopic.set(filter, name, group);
    groups.byName.set(name, group);
    const { key, qos, by } = member;
    group.members.set(key, { qos, by });
  }

  /** Removes a member, unless another session or connection has replaced it. */
  leave(space: string, name: string, { key, by }: Pick<Member, "by"> & { readonly key: string }): void {
    const groups = this.#spaces.get(space);
    const group = groups?.byName.get(name);
    if (groups === undefined || group?.members.get(key)?.by !== by) return;
    group.members.delete(key);
    if (group.members.size > 0) return;
    groups.byName.delete(name);
    groups.byTopic.delete(readSharedFilter(name)?.filter ?? "", name);
    if (groups.byName.size === 0) this.#spaces.delete(space);
  }

  match(space: string, topic: string): readonly SharedGroup[] {
    return this.#spaces.get(space)?.byTopic.match(topic) ?? [];
  }
}
