//! Live updates across instances, also through the balancer and after the database restarted.

use crate::event_stream::EventStream;
use crate::site::{INSTANCES, Site};

#[test]
fn changes_reach_the_streams_of_all_instances() {
    let mut site = Site::start("");
    let form = site.create_form();
    let cookie = crate::shared_state::sign_in(&site, 0);
    let instances = site.instances.iter().map(|instance| &instance.address);
    let addresses: Vec<String> = instances.chain([&site.balancer]).cloned().collect();
    let mut streams: Vec<_> =
        addresses.iter().map(|address| EventStream::open(address, "live", &cookie)).collect();
    for n in 0..INSTANCES {
        let created =
            site.instances[n].request("POST", &format!("/f/{form}"), &[], r#"{"what":"x"}"#);
        assert_eq!(created.status, 201, "{}", created.text());
        let id = created.json()["data"]["id"].as_str().unwrap().to_owned();
        let data = format!(r#"{{"form_id":"{form}","ids":["{id}"]}}"#);
        for stream in &mut streams {
            assert_eq!(stream.next(), Some(("created".to_owned(), data.clone())));
        }
        let path = format!("/account/forms/{form}/submissions");
        let body = format!(r#"{{"ids":["{id}"],"set":{{"starred":true}}}}"#);
        let other = &site.instances[(n + 1) % INSTANCES];
        let changed = other.dashboard_request("PATCH", &path, &cookie, &body);
        assert_eq!(changed.status, 200, "{}", changed.text());
        for stream in &mut streams {
            assert_eq!(stream.next(), Some(("updated".to_owned(), data.clone())));
        }
    }
    // The listening connections are replaced.
    site.run_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN sheaf_live'",
    );
    for stream in &mut streams {
        assert_eq!(stream.next(), Some(("reset".to_owned(), "{}".to_owned())));
    }
    // A shutdown ends the streams of one instance, and only those.
    site.instances[0].send_sigterm();
    assert_eq!(streams[0].next(), None);
    site.instances[0].wait_for_exit();
    let created = site.instances[1].request("POST", &format!("/f/{form}"), &[], r#"{"what":"x"}"#);
    assert_eq!(created.status, 201, "{}", created.text());
    for stream in &mut streams[1..INSTANCES] {
        assert_eq!(stream.next().unwrap().0, "created");
    }
}
