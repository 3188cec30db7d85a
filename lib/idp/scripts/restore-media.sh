# shellcheck shell=sh disable=SC2154 # part of restore.sh, which sets what is read here
# Restores soft-deleted files of the media bucket; a file that exists again stays as it is.

page=
: >"$GOOGLE_WORK/deleted"
while :; do
  google_get storage "b/$MEDIA_BUCKET/o" "softDeleted=true&maxResults=1000${page:+&pageToken=$page}" ||
    google_fail "The deleted files of $MEDIA_BUCKET cannot be listed." "Way out: the caller needs roles/storage.admin on the bucket."
  jq -c '.items[]? | { name, generation, softDeleteTime }' "$GOOGLE_ANSWER" >>"$GOOGLE_WORK/deleted"
  page=$(jq -r '.nextPageToken // "" | @uri' "$GOOGLE_ANSWER")
  [ -n "$page" ] || break
done
# The newest version of each; a dot or a tilde would not pass for a part of an address.
jq -rs --arg since "${SUBJECT:-}" 'map(select(.softDeleteTime >= $since)) | group_by(.name)[]
  | max_by(.generation | tonumber)
  | [(.name | @uri | gsub("[.]"; "%2E") | gsub("~"; "%7E")), .generation, (.name | gsub("[[:cntrl:]]"; " "))] | @tsv' \
  "$GOOGLE_WORK/deleted" >"$GOOGLE_WORK/newest"
total=$(($(wc -l <"$GOOGLE_WORK/newest")))
if [ "$total" -eq 0 ]; then
  google_say "The bucket $MEDIA_BUCKET has no deleted files${SUBJECT:+ since $SUBJECT}: nothing to restore."
  exit 0
fi
shown=$(sed -n '1,10p' "$GOOGLE_WORK/newest" | cut -f 3 | jq -Rrs 'rtrimstr("\n") | gsub("\n"; ", ")')
[ "$total" -le 10 ] || shown="$shown and $((total - 10)) more"
steps "Restore $total file(s) of $MEDIA_BUCKET?" "restore $shown; files that exist again stay as they are"
# exists: whether the file is there again; others may begin with its name, but come after it.
exists() {
  FILE=$file
  export FILE
  google_reading '(.items[0]?.name // "") | (@uri | gsub("[.]"; "%2E") | gsub("~"; "%7E")) == env.FILE' \
    google_get storage "b/$MEDIA_BUCKET/o" "prefix=$file&maxResults=1" && [ "$GOOGLE_READ" = true ]
}

restored=0 kept=0
echo '{}' >"$GOOGLE_WORK/object.json"
while IFS=$sql_tab read -r file generation plain <&4; do
  if google_post storage "b/$MEDIA_BUCKET/o/$file/restore" "$GOOGLE_WORK/object.json" \
    "generation=$generation&ifGenerationMatch=0"; then
    restored=$((restored + 1))
  elif [ "$GOOGLE_STATUS" = 412 ] || google_says 'pre-condition'; then
    kept=$((kept + 1))
  elif [ "$GOOGLE_STATUS" = 404 ] && exists; then
    # The answer to the first of several attempts was lost.
    restored=$((restored + 1))
  else
    google_fail "$plain cannot be restored; $restored of $total are." "Way out: run the same command again."
  fi
done 4<"$GOOGLE_WORK/newest"
google_say "Restored $restored file(s) of $MEDIA_BUCKET; $kept exist again and stayed as they are."
