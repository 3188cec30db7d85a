# shellcheck shell=sh # part of db-init.sh, dump-database.sh and database-client.sh
# Whether the connection to a database leaves this machine, and so has to be encrypted.

# Whether the host of a database is this machine: a socket or a loopback address, in any spelling, with a port or without.
# Everything else is a network, also a host that is only looked up later (file://, env://), and a list with one of these.
# The entrypoint of the image and the jobs beside the database judge by these same lines.
is_local_host() {
  case $1 in
    *,*)
      is_local_host "${1%%,*}" && is_local_host "${1#*,}"
      return
      ;;
  esac
  case $1 in
    /* | @*) return 0 ;;
    \[*\] | \[*\]:*) set -- "${1#?}" && set -- "${1%%\]*}" ;;
    *:*[!0-9]* | *:*:*) ;;
    *:*) set -- "${1%:*}" ;;
  esac
  case $1 in
    [Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt] | [Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt].) return 0 ;;
    # An IPv4 address as IPv6 writes it.
    ::[Ff][Ff][Ff][Ff]:127.*) set -- "${1##*:}" ;;
  esac
  case $1 in
    127.*[!0-9.]*) return 1 ;; # a name such as 127.example.com
    127.*) return 0 ;;
    *:*1) set -- "${1%1}" ;;
    *) return 1 ;;
  esac
  case $1 in
    *[!0:]*) return 1 ;;
  esac
}
