import * as z from "zod/mini";
import { definitionOf, unwrap } from "./definition.ts";

/*
 * JSON Merge Patch (RFC 7396): a patch is an object with the members to change. `null` removes a member, nested objects are merged,
 * and lists are replaced as a whole.
 */

/** A merge patch of a record: `null` removes an optional member, and clears a nullable one. */
export type Patch<R> = {
  [Name in keyof R]?:
    | PatchOfValue<NonNullable<R[Name]>>
    | Extract<R[Name], null>
    | (undefined extends R[Name] ? null : string extends Name ? null : never)
    | undefined;
};

type PatchOfValue<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Patch<Value> : Value;

/** The schema of a merge patch of what this schema describes. */
export type PatchSchema<S extends z.core.$ZodType> =
  S extends z.core.$ZodObject<infer Shape>
    ? z.ZodMiniObject<{ [Name in keyof Shape]: z.ZodMiniOptional<PatchMember<Shape[Name]>> }>
    : S extends z.core.$ZodRecord<infer Key, infer Value extends z.core.$ZodType>
      ? z.ZodMiniRecord<Key & z.core.$partial, z.ZodMiniNullable<PatchSchema<Unwrapped<Value>>>>
      : S;

type PatchMember<S extends z.core.$ZodType> =
  S extends z.core.$ZodOptional<infer Inner extends z.core.$ZodType>
    ? z.ZodMiniNullable<PatchSchema<Unwrapped<Inner>>>
    : S extends z.core.$ZodNullable<infer Inner extends z.core.$ZodType>
      ? z.ZodMiniNullable<PatchSchema<Unwrapped<Inner>>>
      : S extends
            | z.core.$ZodDefault<infer Inner extends z.core.$ZodType>
            | z.core.$ZodReadonly<infer Inner extends z.core.$ZodType>
        ? PatchMember<Inner>
        : PatchSchema<S>;

type Unwrapped<S extends z.core.$ZodType> = S extends
  | z.core.$ZodOptional<infer Inner extends z.core.$ZodType>
  | z.core.$ZodNullable<infer Inner extends z.core.$ZodType>
  | z.core.$ZodDefault<infer Inner extends z.core.$ZodType>
  | z.core.$ZodReadonly<infer Inner extends z.core.$ZodType>
  ? Unwrapped<Inner>
  : S;

/**
 * Returns the schema of a merge patch of what an object schema describes. Each member may be missing. `null` is accepted for members
 * that are optional or nullable. Rules about several members are left to the check of the merged record.
 *
 * @throws {Error} for a kind of schema whose parts it cannot merge, such as a union of objects
 * @example patchOf(z.object({ name: z.string(), note: z.optional(z.string()) })) // accepts {}, { name: "x" } and { note: null }
 */
export const patchOf = <S extends z.core.$ZodObject>(schema: S): PatchSchema<S> =>
  patchSchema(schema) as PatchSchema<S>;

const patchSchema = (schema: z.core.$ZodType): z.core.$ZodType => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "object": {
      const members = Object.entries(def.shape).map(([name, member]) => [name, patchMember(member)]);
      const patch = z.object(Object.fromEntries(members));
      return describedAs(schema, def.catchall ? z.catchall(patch, def.catchall) : patch);
    }
    case "record":
      return describedAs(schema, z.partialRecord(def.keyType, z.nullable(patchSchema(unwrap(def.valueType).inner))));
    case "union":
      if (def.options.some(hasMembers)) throw new Error("A patch cannot have a union of objects: see merge-patch.ts.");
      return schema;
    case "intersection":
    case "lazy":
      throw new Error(`A patch cannot have a schema of the type ${def.type}: see merge-patch.ts.`);
    default:
      return schema;
  }
};

const patchMember = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { inner, isOptional, isNullable, wrappers } = unwrap(schema);
  const value = patchSchema(inner);
  const member = z.optional(isOptional || isNullable ? z.nullable(value) : withRequired(value));
  return wrappers.reduceRight<z.core.$ZodType>((described, wrapper) => describedAs(wrapper, described), member);
};

/** Says of a `null`, which would remove the member, that the member is required. */
const withRequired = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod;
  const own = def.error as z.core.$ZodErrorMap | undefined;
  const error: z.core.$ZodErrorMap = (issue) => (issue.input === null ? "field is required." : own?.(issue));
  return describedAs(schema, z.core.clone(schema, { ...def, error }));
};

const hasMembers = (schema: z.core.$ZodType): boolean =>
  ["object", "record", "union", "intersection", "lazy"].includes(unwrap(schema).inner._zod.def.type);

/** Gives a schema the description of another one, except for the name of its component and its default. */
const describedAs = <S extends z.core.$ZodType>(described: z.core.$ZodType, schema: S): S => {
  const { id: _, default: __, ...meta } = z.globalRegistry.get(described) ?? {};
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...meta });
  return schema;
};

/**
 * Returns what a merge patch makes of a value. Changes neither of them.
 *
 * @param schema makes `null` clear the members that must exist but may be `null`, which RFC 7396 would remove
 * @example mergePatch({ name: "x", note: "y" }, { note: null }) // { name: "x" }
 */
export const mergePatch = <R extends object>(stored: R, patch: NoInfer<Patch<R>>, schema?: z.core.$ZodType): R =>
  merged(stored, patch, schema) as R;

const merged = (stored: unknown, patch: unknown, schema: z.core.$ZodType | undefined): unknown => {
  if (!isObject(patch)) return patch;
  // A map and fromEntries treat a member that is called `__proto__` like any other.
  const members = new Map(isObject(stored) ? Object.entries(stored) : []);
  for (const [name, part] of Object.entries(patch)) {
    const { inner, mustExist } = memberOf(schema, name);
    if (part === undefined) continue;
    if (part === null && !mustExist) members.delete(name);
    else members.set(name, merged(members.get(name), part, inner));
  }
  return Object.fromEntries(members);
};

const memberOf = (schema: z.core.$ZodType | undefined, name: string) => {
  const def = schema && definitionOf(schema);
  if (def?.type === "record") return { inner: unwrap(def.valueType).inner, mustExist: false };
  const member = def?.type === "object" && Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
  if (!member) return { mustExist: false };
  const { inner, isOptional, isNullable } = unwrap(member);
  return { inner, mustExist: isNullable && !isOptional };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
