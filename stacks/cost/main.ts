import { costCommand } from "./command";

// npm changes to the folder of the project; INIT_CWD is where the command was typed.
void costCommand(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd()).then(
  ({ exitCode, output, problems }) => {
    process.stdout.write(output);
    process.stderr.write(problems);
    process.exitCode = exitCode;
  },
);
