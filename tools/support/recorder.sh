#!/bin/bash
# Stands in for the programs that act on something. Records its words, and prints what later commands need. Fails if it is its turn,
# or if it gets an empty value.
set -f
program=${0##*/}
payload=
for word; do [[ $word == fileb:///dev/stdin ]] && payload=$(cat); done
printf '%s\x1f' "$program" "$@" "$payload" >>"$NOTES"
printf '\x1e' >>"$NOTES"
calls=$(tr -cd '\036' <"$NOTES" | wc -c)
for word; do [[ $word ]] || FAILING=$calls; done
if [[ $calls == "$FAILING" ]]; then
  echo 'refused by the stand-in' >&2
  exit 1
fi
# The value of an option.
value() {
  local wanted=$1
  shift
  while (($#)); do
    [[ $1 == "$wanted" ]] && printf %s "$2"
    shift
  done
}
everything='{"Options": {}, "Versions": [{"Version": "7"}], "token": "itk_1", "invitation_text": "iti_1", "tokens": [{"token_id": "01J1", "ip": "198.51.100.7", "state": "active"},
  {"token_id": "01J2", "ip": "198.51.100.7", "state": "revoked"}, {"token_id": "01J3", "ip": "198.51.100.7", "state": "invited"}],
  "leaks": [], "notices": [], "state": "revoked", "rate_limit": 600, "dismissed_addresses": [], "token_id": "01J1",
  "comment": "a client", "Items": [], "CopyJobs": []}'
case "$program $1 $2" in
  "aws lambda invoke")
    for word; do [[ $word == *.json || $word == /*/tmp.* ]] && file=$word; done
    case $payload in
      *'"usage"'*) echo '{"leaks": {"addresses": []}}' ;;
      *) echo "$everything" ;;
    esac >"$file"
    echo '{"StatusCode": 200}'
    ;;
  "aws backup describe-restore-job") echo COMPLETED ;;
  "aws backup list-recovery-points"*)
    echo '{"RecoveryPoints": [{"CreationDate": "2027-01-31", "ResourceArn": "arn:table/one", "RecoveryPointArn": "arn:point"}]}'
    ;;
  "aws cognito-idp list-users")
    case "$*" in
      *Users[]*) echo '[]' ;;
      *) echo '{"Users": [{"Username": "ann", "Enabled": false, "Attributes": []}]}' ;;
    esac
    ;;
  "aws cognito-idp admin-list-groups-for-user") echo '["Admin"]' ;;
  aws*)
    case "$*" in
      *"--query Metadata"*) echo "$everything" ;;
      *"--output text"* | *--query*) echo value ;;
      *) echo "$everything" ;;
    esac
    ;;
  git\ worktree*) mkdir -p "$3" ;;
  # These ask a question, so that they read what is pasted after them.
  npx\ *deploy | npx\ *destroy | npx\ *import) [[ $* == *--require-approval\ never* ]] || cat >>"$NOTES.answers" ;;
  curl*)
    for option in -o -D; do
      file=$(value "$option" "$@")
      [[ $file && $file != - && $file != /dev/* ]] && echo "$everything" >"$file"
    done
    [[ $(value -o "$@") ]] || echo "$everything"
    [[ $(value -D "$@") == - ]] && printf 'ETag: "1"\r\nX-Token-Expires-At: 2027-01-31\r\n'
    true
    ;;
  node\ -p*) echo value ;;
  node*) echo "$everything" ;;
  *) echo value ;;
esac
