import { type Expr, literal } from "../../core/expr/expr";
import { type Relation } from "../../core/inputs/relations";
import { type Table } from "../../core/inputs/rows";
import { type ValuesOf } from "../../core/inputs/value";
import { CONNECTION_NAME_MAX_LENGTH, SOCKET_PATH_MAX_LENGTH } from "../../core/names";
import { prose } from "../../core/prose";
import { wordList } from "../../core/word-list";

/** A connection name with a length that depends on inputs. */
interface ConnectionName<T extends Table> {
  /** The input that gets the rule as a validation. */
  readonly of: keyof T & string;
  /** Owner of the name, in words. */
  readonly what: string;
  /** Names of the inputs in the connection name. */
  readonly madeOf: (values: ValuesOf<T>) => readonly string[];
  readonly length: (values: ValuesOf<T>) => Expr<number>;
  /** Whether there is no such name; by default there always is one. */
  readonly unless?: (values: ValuesOf<T>) => Expr<boolean>;
}

/** A connection name must fit into a path: Cloud Run mounts the socket in a folder of that name. */
export function connectionNameRule<T extends Table>(name: ConnectionName<T>): Relation<T> {
  const { length, madeOf, of, unless = () => literal(false), what } = name;
  return {
    host: of,
    holds: (values) => unless(values).or(length(values).le(CONNECTION_NAME_MAX_LENGTH)),
    message: (values) => {
      const names = madeOf(values);
      return prose`
        the connection name of ${what}, from ${wordList(names)},
        has ${length(values).text} characters;
        it must have at most ${CONNECTION_NAME_MAX_LENGTH},
        because the path of its socket has at most ${SOCKET_PATH_MAX_LENGTH};
        shorten the application name or the tenant id by ${length(values).minus(CONNECTION_NAME_MAX_LENGTH).text}
      `;
    },
  };
}
