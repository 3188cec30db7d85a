import { costCommand } from "./command";

// npm changes to the folder of the project; INIT_CWD is the folder in which the command was run.
void costCommand(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd()).then(
  ({ exitCode, output, problems }) => {
    process.stdout.write(output);
    process.stderr.write(problems);
    process.exitCode = exitCode;
  },
);
